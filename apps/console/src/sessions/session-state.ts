// What a session does now, in a word and a colour. One table for grids, lists and the palette.

import type { InboxItem, Session, TaskSummary } from '@pilothouse/contract';

export type SessionTone = 'plain' | 'agent' | 'person' | 'driving' | 'other' | 'good' | 'bad';
export type SessionView = {
  tone: SessionTone;
  word: string;
  /** What the last task is doing or how it ended; empty if there is nothing to say. */
  line: string;
};

type Known = { session: Session; task?: TaskSummary; waiting?: InboxItem; userId?: string };

export function describeSession({ session, task, waiting, userId }: Known): SessionView {
  if (session.status === 'closed') return { tone: 'plain', word: 'Closed', line: describeEnd(task) };
  if (session.status === 'takeover') return describeDriver(waiting, userId);
  if (!task) return { tone: 'plain', word: 'No task yet', line: '' };
  if (task.status === 'awaiting_user')
    return {
      tone: 'person',
      word: waiting?.question?.options ? 'In doubt' : 'Asks you',
      line: waiting?.question?.text ?? '',
    };
  if (task.status === 'pending') return { tone: 'plain', word: 'Waits its turn', line: '' };
  if (task.status === 'success') return { tone: 'good', word: 'Done', line: describeEnd(task) };
  if (task.status === 'failed') return { tone: 'bad', word: 'Failed', line: describeEnd(task) };
  if (task.status === 'cancelled') return { tone: 'plain', word: 'Cancelled', line: '' };
  return { tone: 'agent', word: 'Working', line: describeStep(task) };
}

function describeDriver(waiting: InboxItem | undefined, userId: string | undefined): SessionView {
  const holder = waiting?.takeover?.held_by;
  if (holder && userId && holder !== userId)
    return { tone: 'other', word: 'Another drives', line: 'Hidden while they drive' };
  return { tone: 'driving', word: 'You drive', line: '' };
}

const describeStep = ({ current_step, current_step_title }: TaskSummary) =>
  current_step > 0 ? `Step ${current_step} · ${current_step_title}` : 'Begins';

const describeEnd = (task: TaskSummary | undefined) => task?.last_error ?? '';

/** Which sessions a list shows. */
export const sessionFilters = ['all', 'working', 'needs', 'idle', 'closed'] as const;
export type SessionFilter = (typeof sessionFilters)[number];

/** The filter of the server that holds all sessions of a filter; those that need a person are found among the open ones. */
export const statusOf = (filter: SessionFilter) =>
  (({ all: undefined, working: 'active', needs: undefined, idle: 'idle', closed: 'closed' }) as const)[filter];
