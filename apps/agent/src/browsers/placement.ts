// Finds the browser of a session, or a host that opens it. While there are too few browsers, a person waits in the queue, and
// a task leaves: its run ends, and it is due when its turn comes.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, SavedState } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { createHostChoice } from './choose-host.ts';
import type { BrowserHandle } from './handle.ts';
import type { LaunchOptions } from './launch-options.ts';
import { createOpenClose } from './open-close.ts';
import { createRefusals } from './refusals.ts';
import { createReuse } from './reuse.ts';
import type { EnsureOptions, Row, Search } from './search.ts';
import { createTurnWait } from './turn-wait.ts';
import { createTurns } from './turns.ts';

type Options = {
  store: Store;
  bus: Bus;
  log: Log;
  /** Called when a task has begun to wait for a browser. */
  onTaskWaits?: () => void;
  now?: () => number;
};
/** How long a host that did not answer is not asked to open a browser. */
const shunMs = 2000;
const pauseMs = 250;
/**
 * After the loss of a host, or an outage that lasted too long, many sessions need their browsers at the same time; hosts that launch
 * all of them at once are slow for everybody.
 */
const reopenedAtOnce = { atOnce: 4, jitterMs: 250 };

export function createPlacement({ store, bus, log, onTaskWaits = () => {}, now = () => performance.now() }: Options) {
  const noteRefusal = createRefusals({ store, log });
  const waitForTurn = createTurnWait({ store, bus, log, onTaskWaits });
  const { assign, open, close, setLive } = createOpenClose({ store, bus });
  const chooseHost = createHostChoice({ store, assign });
  const reuse = createReuse({ store, close, setLive });
  const reopening = createTurns(reopenedAtOnce);

  /** The hosts that did not answer, which only this search knows of. */
  const silentBootsOf = ({ shunned }: Search) => [...shunned].flatMap(([boot, until]) => (now() < until ? boot : []));

  /** Undefined where it is not open yet: another agent was quicker, or the host refused. */
  async function openSomewhere(search: Search, before: number): Promise<BrowserHandle | 'not_its_turn' | undefined> {
    const { session, isPerson = false, executionId, shunned, signal } = search;
    const taken = await chooseHost(session, { before, executionId, silentBoots: silentBootsOf(search), signal });
    if (taken === 'not_its_turn') return taken;
    if (taken === 'session_closed') throw new Error('the session was closed before its browser was opened');
    if (taken === 'another_was_quicker') return undefined;
    search.since = taken.since;
    const handle = { hostId: taken.host.id, epoch: taken.epoch, openedEpoch: taken.epoch };
    // Written by an agent; the host checks it against its schema.
    const refusal = await open(session, handle, { state: taken.state as SavedState | null, isPerson });
    if (refusal) {
      search.gone = taken.epoch;
      // The lease of a dead host runs on for some seconds.
      if (refusal === 'no_responders') shunned.set(taken.host.boot_id, now() + shunMs);
      await noteRefusal({ sessionId: session.id, host: taken.host, epoch: taken.epoch, refusal });
      await sleep(pauseMs, undefined, { signal });
      return undefined;
    }
    await setLive(session.id, handle);
    await store.hosts.opened(handle.hostId);
    return handle;
  }

  async function find(search: Search): Promise<BrowserHandle> {
    const { session, lost, signal } = search;
    for (;;) {
      signal.throwIfAborted();
      const known = await store.browsers.of(session.id);
      if (known && isAway(known) && known.epoch !== search.gone) {
        await sleep(pauseMs, undefined, { signal });
        continue;
      }
      const hostId = known?.is_live ? known.host_id : null;
      const isOpen = known && hostId && known.epoch !== search.gone;
      if (known && hostId && known.epoch === lost && !isOpen) await store.hosts.lostBrowser(hostId);
      const opening = () => openSomewhere(search, known?.epoch ?? 0);
      const reopen = () => (known?.epoch ? reopening.run(opening, signal) : opening());
      const handle = await (isOpen ? reuse(search, known, hostId) : reopen());
      if (handle === 'not_its_turn') await waitForTurn(search, { isSoon: silentBootsOf(search).length > 0 });
      else if (handle) return handle;
    }
  }

  return {
    /**
     * The browser of the session, opened from its saved state where no host holds it. Waits for a host that has no lease now and
     * is not known to be gone. `lost` is an epoch under which it was found gone, whatever the row says. While there are too few
     * browsers, a person waits here for the session's turn; for a task (`executionId`) this throws `NoBrowserYet`. With
     * `mayYield`, an open browser is closed if its user has more than a fair share and another user waits for their first; with
     * `mayMove`, if its host is about to end and another has room.
     */
    async ensure(session: LaunchOptions, options: EnsureOptions): Promise<BrowserHandle> {
      const search: Search = {
        ...options,
        session,
        gone: options.lost,
        since: null,
        shunned: new Map(),
        move: undefined,
      };
      try {
        return await find(search);
      } finally {
        if (search.move !== undefined) await store.moves.end(search.move);
      }
    },
  };
}

/** The host has no lease and may come back with the browser: until that is known, no other host opens it. */
const isAway = ({ host_id, is_live, is_gone }: Row): boolean => host_id !== null && !is_live && !is_gone;
