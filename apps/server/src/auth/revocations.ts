// Ends open streams whose login, key or share has ended, or whose admin is no longer one.

import { type Bus, loginRevoked, shareRevoked } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import { type Caller, type Guest, isGuest, type Store } from '@pilothouse/store';
import type { EventStream } from '../sse/event-stream.ts';

type Options = { store: Pick<Store, 'logins' | 'keys' | 'shares'>; bus: Bus; log: Log };
type Viewer = Caller | Guest;
/** What has to end with the right of its viewer. */
type Tracked = Pick<EventStream, 'onEnd' | 'close'>;
type TrackedStream = [Tracked, Viewer];

const everyMs = 1000;

/**
 * A viewer who may still watch resumes the stream. The database is asked once a second for all streams, so that this does
 * not depend on the bus; a message on the bus only makes it quicker.
 */
export function createRevocations({ store, bus, log }: Options) {
  const streams = new Map<Tracked, Viewer>();
  let isLooking = false;
  let isStale = false;
  let atExpiry: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    // Streams that come during this look are in the next one.
    const tracked = [...streams];
    const [logins, keys, shares] = await Promise.all([
      validOf(tracked.map(loginOf), store.logins.stillValid),
      validOf(tracked.map(keyOf), store.keys.stillValid),
      validOf(tracked.map(shareOf), store.shares.stillLive),
    ]);
    for (const [stream, viewer] of tracked) {
      const isOver = isGuest(viewer) ? !shares.has(viewer.shareId) : hasLost(viewer, { logins, keys });
      if (isOver) stream.close();
    }
    // A share that ends before the next look causes one when it ends.
    const soonestMs = Math.min(...shares.values());
    clearTimeout(atExpiry);
    if (soonestMs < everyMs) atExpiry = setTimeout(lookNow, soonestMs + 1).unref();
  }
  function lookNow(): void {
    isStale = true;
    if (isLooking || streams.size === 0) return;
    isLooking = true;
    lookUntilFresh()
      .catch((error) => log.warn({ err: error }, 'could not ask which logins are still valid'))
      .finally(() => {
        isLooking = false;
      });
  }
  /** A message that comes during a look may be of a change that the look did not see. */
  async function lookUntilFresh(): Promise<void> {
    while (isStale) {
      isStale = false;
      await look();
    }
  }
  const timer = setInterval(lookNow, everyMs);
  const wakeups = [bus.subscribe(loginRevoked, {}, lookNow), bus.subscribe(shareRevoked, {}, lookNow)];

  return {
    track(viewer: Viewer | undefined, stream: Tracked): void {
      // The built-in user has no login that could end.
      if (!viewer || (!isGuest(viewer) && !viewer.loginId && !viewer.keyId)) return;
      streams.set(stream, viewer);
      stream.onEnd(() => streams.delete(stream));
    },
    /** Tells every server, this one, too. */
    announceLogin(userId: string, loginId: string | null): void {
      bus.publish(loginRevoked, {}, { user_id: userId, login_id: loginId });
    },
    announceShare(sessionId: string): void {
      bus.publish(shareRevoked, {}, { session_id: sessionId });
    },
    close() {
      clearInterval(timer);
      clearTimeout(atExpiry);
      for (const wakeup of wakeups) wakeup.close();
    },
  };
}

const loginOf = ([, viewer]: TrackedStream) => (isGuest(viewer) ? undefined : viewer.loginId);
const keyOf = ([, viewer]: TrackedStream) => (isGuest(viewer) ? undefined : viewer.keyId);
const shareOf = ([, viewer]: TrackedStream) => (isGuest(viewer) ? viewer.shareId : undefined);

/** Does not ask the database without ids. */
async function validOf<Value>(
  given: (string | undefined)[],
  stillValid: (ids: string[]) => Promise<Map<string, Value>>,
): Promise<Map<string, Value>> {
  const ids = [...new Set(given.flatMap((id) => id ?? []))];
  return ids.length > 0 ? stillValid(ids) : new Map();
}

type Roles = Map<string, Caller['role']>;

function hasLost({ role, loginId, keyId }: Caller, { logins, keys }: { logins: Roles; keys: Roles }): boolean {
  const now = loginId ? logins.get(loginId) : keys.get(keyId ?? '');
  return !now || (role === 'admin' && now !== 'admin');
}
