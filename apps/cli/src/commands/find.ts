// Finds the task or session that a person names.

import type { TaskStatus } from '@pilothouse/contract';
import { type Client, isApiError } from '@pilothouse/sdk';
import { CommandFailure } from '../connection/failure.ts';

const none = (what: string) => new CommandFailure(`there is no ${what} yet`);

export async function findTask(client: Client, named = ''): Promise<string> {
  if (named !== 'last') return named;
  const { tasks } = await client.listTasks({ limit: 1 });
  if (!tasks[0]) throw none('task');
  return tasks[0].id;
}

export async function findSession(client: Client, named = ''): Promise<string> {
  if (named !== 'last') return named;
  const { sessions } = await client.listSessions({ limit: 1 });
  if (!sessions[0]) throw none('session');
  return sessions[0].id;
}

export type Found = { task: TaskStatus; session_id: string } | { task: undefined; session_id: string };

/** A task or a session: their ids look alike. */
export async function findEither(client: Client, named = ''): Promise<Found> {
  const id = await findTask(client, named);
  try {
    const { status: task } = await client.getTaskStatus({ id });
    return { task, session_id: task.session_id };
  } catch (error) {
    if (!isApiError(error, 'not_found')) throw error;
  }
  const { snapshot } = await client.getSession({ id });
  return { task: undefined, session_id: snapshot.session.id };
}
