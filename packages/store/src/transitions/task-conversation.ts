// The conversation of a task as it is now, for its viewers. Call it inside `store.change`, with its `append`.

import type { Tx } from '../db/db.ts';
import type { createSteps } from '../ledger/steps.ts';
import type { Append } from '../sessions/change.ts';
import type { TaskMessages } from '../tasks/task-messages.ts';
import type { TaskRow } from '../tasks/tasks.ts';
import { messageStateOf } from '../views/messages.ts';

type Options = { steps: Pick<ReturnType<typeof createSteps>, 'of'>; taskMessages: Pick<TaskMessages, 'of'> };

export function createTellConversation({ steps, taskMessages }: Options) {
  return async (tx: Tx, append: Append, task: TaskRow): Promise<void> => {
    const message_state = messageStateOf(task, await steps.of(task.id, tx), await taskMessages.of(task.id, { tx }));
    await append({ taskId: task.id, kind: 'message_state', data: { message_state } });
  };
}
export type TellConversation = ReturnType<typeof createTellConversation>;
