// The events and log lines of one change: numbered at once, and written in one statement at its end. The session is locked
// meanwhile, so no other transaction can take these numbers.

import type { Tx } from '../db/db.ts';
import {
  type AppendedEvent,
  appendAll,
  appendOnce,
  type EventBatch,
  type NewEvent,
  type NewLine,
} from './event-writes.ts';
import type { StoredEvent } from './events.ts';
import type { LockedSession } from './sessions.ts';

type Options = {
  tx: Tx;
  sessionId: string;
  /** Where the log ends; undefined if there is no such session. Asked with the first event. */
  head(): Promise<LockedSession | undefined>;
};
type Event = Omit<NewEvent, 'sessionId'>;
/** The number and the time of the events that come next follow from it. */
type LogEnd = { lastSeq: number; recordedAt: Date };
type Append = {
  (event: Event): Promise<AppendedEvent>;
  /** Adds a line to the log of a task, at the position of its event. */
  line(line: NewLine): void;
  /** Writes what was appended so far: for a statement that reads or removes events of this session. */
  flush(): Promise<void>;
};

export type EventBuffer = ReturnType<typeof createEventBuffer>;

export function createEventBuffer({ tx, sessionId, head }: Options) {
  /** In the order of their numbers, written or not. */
  const added: StoredEvent[] = [];
  let opened: Promise<LogEnd> | undefined;
  let pending: Pick<EventBatch, 'events' | 'lines'> = { events: [], lines: [] };
  let last: number | undefined;

  async function open(): Promise<LogEnd> {
    const found = await head();
    if (!found) throw new Error(`session ${sessionId} has no log`);
    return { lastSeq: found.lastSeq, recordedAt: found.at };
  }
  /** Once: two appends may be under way at the same time. */
  function endOfLog(): Promise<LogEnd> {
    opened ??= open();
    return opened;
  }

  function remember({ taskId = null, kind, data }: Event, { seq, recordedAt }: AppendedEvent): void {
    added.push({ session_id: sessionId, seq, task_id: taskId, kind, data, recorded_at: recordedAt });
  }

  async function appendUnderKey(event: Event, dedupKey: string): Promise<AppendedEvent> {
    const log = await endOfLog();
    await flush();
    const appended = await appendOnce(tx, { ...event, sessionId, dedupKey }, log.recordedAt);
    if (!appended.isNew) return appended;
    log.lastSeq = appended.seq;
    remember(event, appended);
    return appended;
  }

  async function appendNew(event: Event): Promise<AppendedEvent> {
    const log = await endOfLog();
    log.lastSeq += 1;
    const { lastSeq: seq, recordedAt } = log;
    pending.events.push({ seq, task_id: event.taskId ?? null, kind: event.kind, data: event.data });
    const appended = { seq, recordedAt, isNew: true };
    remember(event, appended);
    return appended;
  }

  async function flush(): Promise<void> {
    // A line may be left alone: an event that has a key is written at once.
    if (pending.events.length + pending.lines.length === 0) return;
    const batch = { ...pending, ...(await endOfLog()) };
    pending = { events: [], lines: [] };
    await appendAll(tx, sessionId, batch);
  }

  const append: Append = Object.assign(
    async (event: Event) => {
      const appended = await (event.dedupKey === undefined ? appendNew(event) : appendUnderKey(event, event.dedupKey));
      last = Math.max(last ?? 0, appended.seq);
      return appended;
    },
    { line: (line: NewLine) => void pending.lines.push(line), flush },
  );

  /** `last` is the number of the last event that was appended, or was known under its key. */
  return { append, added, last: () => last };
}
