// Ends a takeover whose person no longer acts; the task that waits for it goes on.

import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';

type Options = { store: Store; browsers: Browsers; log: Log };

export const createTakeoverExpiry = ({ store, browsers, log }: Options) =>
  /** Does nothing where the person acted since the look. */
  async function takeBack({ id, sessionId }: { id: string; sessionId: string }): Promise<void> {
    const back = await store.change(sessionId, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, sessionId);
      if (standing?.id !== id || !(await store.takeovers.isExpired(tx, id))) return undefined;
      const given = await store.takeovers.giveBack(tx, append, standing, { outcome: 'expired' });
      if (!given) return undefined;
      const about = { takeover_id: id, session_id: sessionId, task_id: standing.task_id };
      const { holder_id: userId } = standing;
      await store.audit.add({ event: 'takeover_expired', outcome: 'success', userId, data: about }, tx);
      return given;
    });
    if (!back) return;
    log.info({ takeover_id: id, session_id: sessionId }, 'a takeover expired');
    const { fence } = back;
    // A host that cannot be told now is told at a later look.
    if (!fence) return;
    const handle = { hostId: fence.host_id, epoch: fence.epoch };
    if (!(await browsers.setDriver(sessionId, handle).catch(() => false)) || back.takeover.status !== 'ended') return;
    const left = await browsers.look(sessionId, handle);
    if (back.takeover.task_id)
      await store.change(sessionId, (_tx, append) => store.takeovers.describe(append, back.takeover, left));
  };
