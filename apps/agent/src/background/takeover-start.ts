// Opens the browser for a person who takes over and makes them its driver, where no running task does it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { DriverChange, Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import { type LaunchOptions, launchOptionsAsBefore, launchOptionsOf, settingsOf } from '../browsers/launch-options.ts';

type Options = { store: Store; browsers: Browsers; signal: AbortSignal };
type UnattendedTakeover = Awaited<ReturnType<Store['takeovers']['unattended']>>[number];

const openMs = 30_000;
const mostAsks = 4;
const askMs = 300;

export function createTakeoverStart({ store, browsers, signal: closed }: Options) {
  async function launchOptionsFor({ sessionId, taskId }: UnattendedTakeover): Promise<LaunchOptions | undefined> {
    const [session, task, browser] = await Promise.all([
      store.sessions.byId(sessionId),
      taskId ? store.tasks.byId(taskId) : undefined,
      store.browsers.of(sessionId),
    ]);
    if (!session || session.status === 'closed') return undefined;
    return task ? launchOptionsOf(session, settingsOf(task)) : launchOptionsAsBefore(session, browser?.reach);
  }

  /** Undefined where the person no longer wants it, or another agent handles it. */
  function claim({ id, sessionId, status }: UnattendedTakeover, seen: number): Promise<DriverChange | undefined> {
    return store.change(sessionId, async (tx, append) => {
      const row = await store.takeovers.standing(tx, sessionId);
      return row?.id === id && row.status === status ? store.takeovers.claim(tx, append, row, seen) : undefined;
    });
  }

  /** Tells the host of the person. False where the browser is lost, or a newer epoch has it. Another agent may be opening it. */
  async function tell({ session_id, host_id: hostId, epoch }: DriverChange, signal: AbortSignal): Promise<boolean> {
    for (let asks = 1; ; asks += 1) {
      if (await browsers.setDriver(session_id, { hostId, epoch }, { isPerson: true })) return true;
      if (!(await browsers.holds(session_id, { hostId, epoch }))) return false;
      if (asks >= mostAsks && !(await browsers.isAtHost(session_id, hostId))) return false;
      await sleep(askMs, undefined, { signal });
    }
  }

  /** A task that ran when the person asked may wait for an answer by now: nothing else stops it for the takeover. */
  async function stopAsking({ id, sessionId }: UnattendedTakeover): Promise<void> {
    await store.change(sessionId, async (tx, append) => {
      const row = await store.takeovers.standing(tx, sessionId);
      if (row?.id === id && row.status === 'requested')
        await store.takeovers.stop(tx, append, row, { from: ['awaiting_user'] });
    });
  }

  return async function attend(one: UnattendedTakeover): Promise<void> {
    const session = await launchOptionsFor(one);
    if (!session) return;
    if (one.status === 'requested' && one.taskId) await stopAsking(one);
    const signal = AbortSignal.any([closed, AbortSignal.timeout(openMs)]);
    for (let lost: number | undefined; ; ) {
      const { epoch } = await browsers.ensure(session, { lost, isPerson: true, signal });
      const fence = await claim(one, epoch);
      if (!fence) return;
      if (await tell(fence, signal)) {
        if (one.status === 'requested')
          await store.change(one.sessionId, (tx, append) => store.takeovers.activate(tx, append, one.id, fence.epoch));
        return;
      }
      lost = fence.epoch;
    }
  };
}
