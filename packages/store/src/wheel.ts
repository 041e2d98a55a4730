// Who drives. A takeover, its task, its session and the epoch of its browser move together, in one change of the session.

import { type TaskMove, taskMoves } from '@pilothouse/contract';
import { sql } from 'kysely';
import type { createBrowsers, Fence } from './browsers.ts';
import type { Append } from './change.ts';
import { clocksOf } from './clocks.ts';
import type { Tx } from './db.ts';
import type { createLogs } from './logs.ts';
import { progressOf, sessionStateOf } from './progress.ts';
import type { createSessions } from './sessions.ts';
import { type NewTakeover, type Outcome, type TakeoverRow, type TakeoversStore, takeoverOf } from './takeovers.ts';
import type { createTasks, TaskRow } from './tasks.ts';

type Parts = {
  takeovers: TakeoversStore;
  tasks: Pick<ReturnType<typeof createTasks>, 'openInSession'>;
  sessions: Pick<ReturnType<typeof createSessions>, 'move'>;
  browsers: Pick<ReturnType<typeof createBrowsers>, 'at' | 'fence'>;
  logs: ReturnType<typeof createLogs>;
};
/** The task that goes on is to be sent a signal in the same transaction, and the host told of the new epoch after it. */
export type GivenBack = { takeover: TakeoverRow; task: TaskRow | undefined; fence: Fence | undefined };

type Held = { id: string; executionId: string };
/** What may be stopped: every state from which a task can be taken, and whoever has it, unless it is said. */
type Stopped = { from?: readonly TaskRow['status'][]; executionId?: string };

/** What a person left: where the browser is, and what the fields are called that they wrote into; never what. */
type Left = { url: string | null; written: string[] };

const now = sql<Date>`date_trunc('milliseconds', clock_timestamp())`;

/** Call each inside `store.change`, with its `append`. */
export function createWheel({ takeovers, tasks, sessions, browsers, logs }: Parts) {
  const tell = (append: Append, row: TakeoverRow) =>
    append({ taskId: row.task_id, kind: 'takeover', data: { takeover: takeoverOf(row) } });

  const tellTask = (append: Append, task: TaskRow) =>
    append({ taskId: task.id, kind: 'status', data: { status: progressOf(task) } });

  async function say(tx: Tx, append: Append, row: TakeoverRow, message: string, data: object = {}): Promise<void> {
    if (!row.task_id) return;
    const about = { takeover_id: row.id, ...data };
    await logs.append(tx, append, { taskId: row.task_id, level: 'info', message, data: about });
  }

  async function moveSession(tx: Tx, append: Append, id: string, move: 'take' | 'handBackToWork' | 'handBackToRest') {
    const session = await sessions.move(tx, id, move);
    if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
  }

  /** The task is a person's; nothing, where it is not in a state for it, or not with this agent. */
  async function takeTask(
    tx: Tx,
    id: string,
    { from = taskMoves.take.from, executionId }: Stopped,
  ): Promise<TaskRow | undefined> {
    return tx.db
      .updateTable('tasks')
      .set({ status: 'takeover', updated_at: now, ...clocksOf('takeover') })
      .where('id', '=', id)
      .where('status', 'in', [...from])
      .$if(executionId !== undefined, (update) => update.where('execution_id', '=', executionId ?? ''))
      .returningAll()
      .executeTakeFirst();
  }

  /** It goes on where it was: at work, or waiting for its answer. */
  async function handBackTask(tx: Tx, id: string): Promise<TaskRow | undefined> {
    const move = (name: TaskMove, isAsking: boolean) =>
      tx.db
        .updateTable('tasks')
        .set({ status: taskMoves[name].to, updated_at: now, ...clocksOf(taskMoves[name].to) })
        .where('id', '=', id)
        .where('status', 'in', [...taskMoves[name].from])
        .where('question', isAsking ? 'is not' : 'is', null)
        .returningAll()
        .executeTakeFirst();
    return (await move('handBack', false)) ?? (await move('handBackAsking', true));
  }

  /** What is different is in the log, for whoever decides what comes next. */
  async function describe(tx: Tx, append: Append, ended: TakeoverRow, left: Left): Promise<void> {
    const urlAfter = left.url && placeOf(left.url);
    const { url } = takeoverOf(ended).route;
    const before = url && placeOf(url);
    const moved =
      before === urlAfter
        ? 'The page is the same'
        : `The page was ${before ?? 'none'}, and is ${urlAfter ?? 'not known'}`;
    const wrote =
      left.written.length === 0 ? '' : ` They wrote into ${left.written.map((name) => `"${name}"`).join(', ')}.`;
    const about = { note: ended.note, outcome: ended.outcome, fields_written: left.written };
    const data = { url_before: before, url_after: urlAfter, ...about };
    await say(tx, append, ended, `A person drove. ${moved}.${wrote}${saidBy(ended)}`, data);
  }

  /** The browser was opened anew while they have it. */
  async function follow(tx: Tx, append: Append, id: string, epoch: number): Promise<void> {
    const row = await takeovers.follow(tx, id, epoch);
    if (!row) return;
    await tell(append, row);
    await say(tx, append, row, 'The browser was lost while a person had the wheel, and is open again.');
  }

  async function activate(tx: Tx, append: Append, id: string, epoch: number): Promise<TakeoverRow | undefined> {
    const row = await takeovers.activate(tx, id, epoch);
    if (!row) return undefined;
    await moveSession(tx, append, row.session_id, 'take');
    await tell(append, row);
    const because = row.reason === null ? '' : `: ${row.reason}`;
    await say(tx, append, row, `A person has the wheel (${row.requested_by})${because}`);
    return row;
  }

  return {
    /** Somebody wants the wheel; nothing, where one stands already. */
    async request(tx: Tx, append: Append, asked: NewTakeover): Promise<TakeoverRow | undefined> {
      const row = await takeovers.create(tx, asked);
      if (row) await tell(append, row);
      return row;
    },

    /**
     * Stops whoever may be driving, under a new epoch: the task is the person's, or nothing happens, where it is not in
     * one of these states or not with this agent. They have the wheel when the host has heard of the epoch (`activate`);
     * where no host has the browser, an agent opens it first.
     */
    async stop(tx: Tx, append: Append, row: TakeoverRow, which: Stopped = {}): Promise<Fence | undefined> {
      if (row.task_id) {
        const task = await takeTask(tx, row.task_id, which);
        if (!task) return undefined;
        await tellTask(append, task);
      }
      const fence = await browsers.fence(tx, row.session_id);
      if (fence) await takeovers.setEpoch(tx, row.id, fence.epoch);
      return fence;
    },

    /** They have the wheel, and everybody is told; nothing, where they no longer want it or the browser is elsewhere. */
    activate,

    /** A task begins while a person wants the wheel of its session, or has it: from now on it is that of the task. */
    async adopt(tx: Tx, append: Append, row: TakeoverRow, { id, executionId }: Held): Promise<TakeoverRow | undefined> {
      const adopted = await takeovers.adopt(tx, row.id, id);
      if (!adopted || adopted.status === 'requested') return adopted;
      const task = await takeTask(tx, id, { from: ['running'], executionId });
      if (!task) return undefined;
      await tellTask(append, task);
      await tell(append, adopted);
      await say(tx, append, adopted, `A person has the wheel (${adopted.requested_by})`);
      return adopted;
    },

    /**
     * An epoch that is theirs alone, for whoever opened their browser and tells its host of them: under any other an agent
     * might come to act, of whom the host would believe that it is a person. The one they have already, where it is still
     * the browser's; nothing, where somebody else has had to do with the browser since it was `seen`.
     */
    async claim(tx: Tx, append: Append, row: TakeoverRow, seen: number): Promise<Fence | undefined> {
      const held = await browsers.at(tx, row.session_id);
      if (!held || held.epoch === row.epoch) return held;
      if (held.epoch !== seen) return undefined;
      const fence = await browsers.fence(tx, row.session_id);
      if (fence && row.status === 'requested') await takeovers.setEpoch(tx, row.id, fence.epoch);
      if (fence && row.status === 'active') await follow(tx, append, row.id, fence.epoch);
      return fence;
    },

    /** The wheel goes back. Nothing, where it stands no longer, or is on its way. */
    async giveBack(
      tx: Tx,
      append: Append,
      row: TakeoverRow,
      { outcome, note = null }: { outcome: Outcome; note?: string | null },
    ): Promise<GivenBack | undefined> {
      const task = row.task_id ? await handBackTask(tx, row.task_id) : undefined;
      // Whoever goes on with the task looks first, and says what has changed.
      const to = row.status === 'active' && task?.status === 'running' ? 'resuming' : 'ended';
      const given = await takeovers.give(tx, row, { to, outcome, note });
      if (!given) return undefined;
      if (task) await tellTask(append, task);
      const isAtWork = (await tasks.openInSession(tx, row.session_id)) > 0;
      await moveSession(tx, append, row.session_id, isAtWork ? 'handBackToWork' : 'handBackToRest');
      await tell(append, given);
      await say(
        tx,
        append,
        given,
        outcome === 'expired'
          ? 'Nobody used the wheel: it goes back.'
          : `The wheel goes back.${to === 'ended' ? saidBy(given) : ''}`,
      );
      // Nothing of theirs is done after this, however late it comes.
      const fence = row.status === 'active' || task ? await browsers.fence(tx, row.session_id) : undefined;
      return { takeover: given, task, fence };
    },

    /** The agent that goes on has looked: what is different is in the log, for whoever decides what comes next. */
    async end(tx: Tx, append: Append, row: TakeoverRow, left: Left): Promise<void> {
      const urlAfter = left.url && placeOf(left.url);
      const ended = await takeovers.end(tx, row.id, urlAfter);
      if (!ended) return;
      await tell(append, ended);
      await describe(tx, append, ended, left);
    },

    /** The same of one that ended at once, because its task asks: nobody goes on with it who would look first. */
    describe,

    /** Task or session are over, and the wheel with them. */
    async endAll(tx: Tx, append: Append, which: { taskId: string } | { sessionId: string }): Promise<void> {
      const row = await takeovers.endAll(tx, which);
      if (!row) return;
      // What the host believes of who drives under the epoch until now is over with it.
      await browsers.fence(tx, row.session_id);
      await tell(append, row);
      await moveSession(tx, append, row.session_id, 'handBackToWork');
    },
  };
}

const saidBy = ({ note }: TakeoverRow) => (note === null ? '' : ` They say: ${note}`);

/** Without what a form may have put behind it. */
function placeOf(url: string): string {
  return url.split(/[?#]/, 1)[0] ?? url;
}
