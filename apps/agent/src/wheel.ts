// Wheels that no task's own agent sees to, by every agent: of sessions without a task, of tasks that were interrupted, of
// browsers that were lost while somebody drove, and those that nobody uses any more. Each act is one conditional
// statement, so that one of them does it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@pilothouse/process';
import type { Fence, Store, Work } from '@pilothouse/store';
import type { Hands, Session } from './hands.ts';
import { openingAsIs, openingOf, settingsOf } from './opening.ts';
import { startRounds } from './rounds.ts';

type Options = { store: Store; hands: Hands; work: Work; log: Log; everyMs?: number };
type Behind = Awaited<ReturnType<Store['browsers']['behind']>>[number];
type Unattended = Awaited<ReturnType<Store['takeovers']['unattended']>>[number];

const openMs = 30_000;
const mostAsks = 4;
const askMs = 300;

export function startWheel({ store, hands, work, log, everyMs = 500 }: Options) {
  const closed = new AbortController();
  /** Opening a browser takes a while, and so may a word to a host. */
  const underWay = new Map<string, Promise<void>>();

  async function openingFor({ sessionId, taskId }: Unattended): Promise<Session | undefined> {
    const [session, task, browser] = await Promise.all([
      store.sessions.byId(sessionId),
      taskId ? store.tasks.byId(taskId) : undefined,
      store.browsers.of(sessionId),
    ]);
    if (!session || session.status === 'closed') return undefined;
    return task ? openingOf(session, settingsOf(task)) : openingAsIs(session, browser?.reach);
  }

  /** Nothing, where they no longer want it, or another agent sees to it. */
  function claim({ id, sessionId, status }: Unattended, seen: number): Promise<Fence | undefined> {
    return store.change(sessionId, async (tx, append) => {
      const row = await store.takeovers.standing(tx, sessionId);
      return row?.id === id && row.status === status ? store.wheel.claim(tx, append, row, seen) : undefined;
    });
  }

  /** Another agent may be opening it, and not be done yet: then it is not lost. Under a newer epoch it is not ours to tell. */
  async function tell({ session_id, host_id: hostId, epoch }: Fence, signal: AbortSignal): Promise<boolean> {
    for (let asks = 1; ; asks += 1) {
      if (await hands.take(session_id, { hostId, epoch }, { isPerson: true })) return true;
      if (!(await hands.holds(session_id, { hostId, epoch }))) return false;
      if (asks >= mostAsks && !(await hands.isThere(session_id, hostId))) return false;
      await sleep(askMs, undefined, { signal });
    }
  }

  /** A task that was at work when they asked, and asks somebody itself by now, is stopped already. */
  async function stopAsking({ id, sessionId }: Unattended): Promise<void> {
    await store.change(sessionId, async (tx, append) => {
      const row = await store.takeovers.standing(tx, sessionId);
      if (row?.id === id && row.status === 'requested')
        await store.wheel.stop(tx, append, row, { from: ['awaiting_user'] });
    });
  }

  async function attend(one: Unattended): Promise<void> {
    const session = await openingFor(one);
    if (!session) return;
    if (one.status === 'requested' && one.taskId) await stopAsking(one);
    const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(openMs)]);
    for (let lost: number | undefined; ; ) {
      const { epoch } = await hands.ensure(session, { lost, isPerson: true, signal });
      const fence = await claim(one, epoch);
      if (!fence) return;
      if (await tell(fence, signal)) {
        if (one.status === 'requested')
          await store.change(one.sessionId, (tx, append) => store.wheel.activate(tx, append, one.id, fence.epoch));
        return;
      }
      lost = fence.epoch;
    }
  }

  /** Unless whoever has it did something in the last moment. */
  async function takeBack({ id, sessionId }: { id: string; sessionId: string }): Promise<void> {
    const back = await store.change(sessionId, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, sessionId);
      if (standing?.id !== id || !(await store.takeovers.isExpired(tx, id))) return undefined;
      const given = await store.wheel.giveBack(tx, append, standing, { outcome: 'expired' });
      if (!given) return undefined;
      if (given.task) await work.signal(tx, given.task);
      const about = { takeover_id: id, session_id: sessionId, task_id: standing.task_id };
      const { holder_id: userId } = standing;
      await store.audit.add({ event: 'takeover_expired', outcome: 'success', userId, data: about }, tx);
      return given;
    });
    if (!back) return;
    log.info({ takeover_id: id, session_id: sessionId }, 'nobody used a wheel: it went back');
    const { fence } = back;
    // Where it cannot be told, the next look does it.
    if (!fence) return;
    const grip = { hostId: fence.host_id, epoch: fence.epoch };
    if (!(await hands.take(sessionId, grip).catch(() => false)) || back.takeover.status !== 'ended') return;
    const left = await hands.left(sessionId, grip);
    if (back.takeover.task_id)
      await store.change(sessionId, (tx, append) => store.wheel.describe(tx, append, back.takeover, left));
  }

  async function look(): Promise<void> {
    for (const expired of await store.takeovers.expired()) apart(expired.id, () => takeBack(expired));
    for (const behind of await store.browsers.behind()) apart(behind.sessionId, () => catchUp(behind));
    for (const one of await store.takeovers.unattended()) {
      apart(one.id, () => attend(one));
    }
  }

  /** By itself: others do not wait for it, and it is not begun twice. */
  function apart(key: string, work: () => Promise<void>): void {
    if (underWay.has(key)) return;
    const done = work()
      .catch((error) => {
        if (!closed.signal.aborted) log.warn({ err: error, id: key }, 'could not see to a wheel');
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, done);
  }

  /** Who told the host of a new driver may have died before it did, and nobody may act for a long time. */
  async function catchUp({ sessionId, isPerson, ...grip }: Behind): Promise<void> {
    await hands.take(sessionId, grip, { isPerson });
  }

  const rounds = startRounds(look, everyMs, (error) => log.warn({ err: error }, 'could not look at wheels'));
  return {
    async close() {
      closed.abort();
      await rounds.close();
      await Promise.all(underWay.values());
    },
  };
}
