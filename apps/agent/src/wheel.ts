// Wheels that no task's own agent sees to, by every agent: of sessions without a task, of tasks that were interrupted, of
// browsers that were lost while somebody drove, and those that nobody uses any more. Each act is one conditional
// statement, so that one of them does it.

import type { Log } from '@pilothouse/process';
import type { Store, Work } from '@pilothouse/store';
import type { Grip, Hands, Session } from './hands.ts';
import { openingAsIs, openingOf, settingsOf } from './opening.ts';
import { startRounds } from './rounds.ts';

type Options = { store: Store; hands: Hands; work: Work; log: Log; everyMs?: number };
type Unattended = Awaited<ReturnType<Store['takeovers']['unattended']>>[number];

const openMs = 30_000;

export function startWheel({ store, hands, work, log, everyMs = 500 }: Options) {
  const closed = new AbortController();
  /** Opening a browser takes a while, and others do not wait for it. */
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

  /** A browser whose host knows that nobody else drives. */
  async function grasp(session: Session, signal: AbortSignal): Promise<Grip> {
    let lost: number | undefined;
    for (;;) {
      const grip = await hands.ensure(session, { lost, signal });
      if (await hands.take(session.id, grip, { isPerson: true })) return grip;
      lost = grip.epoch;
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
    const grip = await grasp(session, AbortSignal.any([closed.signal, AbortSignal.timeout(openMs)]));
    await store.change(one.sessionId, async (tx, append) => {
      if (one.status === 'requested') await store.wheel.activate(tx, append, one.id, grip.epoch);
      else await store.wheel.follow(tx, append, one.id, grip.epoch);
    });
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
    // Where it cannot be told, whoever drives next does it.
    if (fence) await hands.take(sessionId, { hostId: fence.host_id, epoch: fence.epoch }).catch(() => {});
  }

  async function look(): Promise<void> {
    for (const expired of await store.takeovers.expired()) await takeBack(expired);
    for (const one of await store.takeovers.unattended()) {
      if (underWay.has(one.id)) continue;
      const done = attend(one)
        .catch((error) => {
          if (!closed.signal.aborted)
            log.warn({ err: error, takeover_id: one.id }, 'could not open a browser for a person');
        })
        .finally(() => underWay.delete(one.id));
      underWay.set(one.id, done);
    }
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
