// What a session does now, in a word and a colour. One table for grids, lists and the palette.

import type { InboxItem, LastTask, ListedSession } from '@pilothouse/contract';

export type SessionTone = 'plain' | 'agent' | 'person' | 'driving' | 'other' | 'good' | 'bad';
export type SessionView = {
  tone: SessionTone;
  word: string;
  /** What the last task is doing or how it ended; empty if there is nothing to say. */
  line: string;
};

/** `waiting`: its entry in the inbox, which says who drives. */
type Known = {
  session: Pick<ListedSession, 'status' | 'last_task' | 'needs_person'>;
  waiting?: InboxItem;
  userId?: string;
};

export function describeSession({ session, waiting, userId }: Known): SessionView {
  const task = session.last_task;
  if (session.status === 'closed') return { tone: 'plain', word: 'Closed', line: '' };
  if (session.status === 'takeover') return describeDriver(waiting, userId);
  if (!task) return { tone: 'plain', word: 'No task yet', line: '' };
  if (task.status === 'awaiting_user')
    return {
      tone: 'person',
      word: waiting?.question?.options ? 'In doubt' : 'Asks you',
      line: session.needs_person?.text ?? '',
    };
  if (task.status === 'pending') return { tone: 'plain', word: 'Waits its turn', line: '' };
  if (task.status === 'success') return { tone: 'good', word: 'Done', line: '' };
  if (task.status === 'failed') return { tone: 'bad', word: 'Failed', line: describeStep(task) };
  if (task.status === 'cancelled') return { tone: 'plain', word: 'Cancelled', line: '' };
  return { tone: 'agent', word: 'Working', line: describeStep(task) };
}

function describeDriver(waiting: InboxItem | undefined, userId: string | undefined): SessionView {
  const holder = waiting?.takeover?.held_by;
  if (holder && userId && holder !== userId)
    return { tone: 'other', word: 'Another drives', line: 'Hidden while they drive' };
  return { tone: 'driving', word: 'You drive', line: '' };
}

const describeStep = ({ current_step, current_step_title }: LastTask) =>
  current_step > 0 ? `Step ${current_step} · ${current_step_title}` : 'Begins';

/** Which sessions a list shows. */
export const sessionFilters = ['all', 'working', 'needs', 'idle', 'closed'] as const;
export type SessionFilter = (typeof sessionFilters)[number];

/** The filter of the server that holds all sessions of a filter; those that need a person are found among the open ones. */
export const statusOf = (filter: SessionFilter) =>
  (({ all: undefined, working: 'active', needs: undefined, idle: 'idle', closed: 'closed' }) as const)[filter];
