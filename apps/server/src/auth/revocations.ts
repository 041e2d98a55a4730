import { type Bus, loginRevoked, shareRevoked } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import { type Caller, type Guest, isGuest, type Store } from '@pilothouse/store';
import type { EventStream } from '../http/event-stream.ts';

type Options = { store: Pick<Store, 'logins' | 'keys' | 'shares'>; bus: Bus; log: Log };
type Viewer = Caller | Guest;

const everyMs = 1000;

/**
 * Ends the streams of logins, keys and shares that have ended, and of admins who no longer are: what they may still
 * watch, they are shown when they come again. The database is asked once a second, for all at once, so that this does
 * not depend on the bus; a hint on the bus only makes it quicker.
 */
export function createRevocations({ store, bus, log }: Options) {
  const streams = new Map<EventStream, Viewer>();
  let isLooking = false;
  let isStale = false;
  let atExpiry: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    // Those that come while we ask are asked for the next time.
    const asked = [...streams];
    const right = { login: asked.map(loginOf), key: asked.map(keyOf), share: asked.map(shareOf) };
    const [logins, keys, shares] = await Promise.all([
      ask(right.login, store.logins.stillValid),
      ask(right.key, store.keys.stillValid),
      ask(right.share, store.shares.stillLive),
    ]);
    for (const [stream, viewer] of asked) {
      const isOver = isGuest(viewer) ? !shares.has(viewer.shareId) : hasLost(viewer, { logins, keys });
      if (isOver) stream.close();
    }
    // One that ends before the next look is looked at when it ends.
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
  /** A hint that comes while we ask may be of what the answer does not know yet. */
  async function lookUntilFresh(): Promise<void> {
    while (isStale) {
      isStale = false;
      await look();
    }
  }
  const timer = setInterval(lookNow, everyMs);
  const hints = [bus.subscribe(loginRevoked, {}, lookNow), bus.subscribe(shareRevoked, {}, lookNow)];

  return {
    track(viewer: Viewer | undefined, stream: EventStream): void {
      // The built-in user has no login that could end.
      if (!viewer || (!isGuest(viewer) && !viewer.loginId && !viewer.keyId)) return;
      streams.set(stream, viewer);
      stream.onEnd(() => streams.delete(stream));
    },
    /** Tells every server, this one too. */
    announceLogin(userId: string, loginId: string | null): void {
      bus.publish(loginRevoked, {}, { user_id: userId, login_id: loginId });
    },
    announceShare(sessionId: string): void {
      bus.publish(shareRevoked, {}, { session_id: sessionId });
    },
    close() {
      clearInterval(timer);
      clearTimeout(atExpiry);
      for (const hint of hints) hint.close();
    },
  };
}

type Tracked = [EventStream, Viewer];
const loginOf = ([, viewer]: Tracked) => (isGuest(viewer) ? undefined : viewer.loginId);
const keyOf = ([, viewer]: Tracked) => (isGuest(viewer) ? undefined : viewer.keyId);
const shareOf = ([, viewer]: Tracked) => (isGuest(viewer) ? viewer.shareId : undefined);

/** Nothing is asked where nobody wants to know. */
async function ask<Value>(
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
