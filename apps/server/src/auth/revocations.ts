import { type Bus, loginRevoked } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import type { Caller, Store } from '@pilothouse/store';
import type { EventStream } from '../http/event-stream.ts';

type Options = { store: Pick<Store, 'logins' | 'keys'>; bus: Bus; log: Log };

const everyMs = 1000;

/**
 * Ends the streams of logins and keys that have ended, and of admins who no longer are: what they may still watch, they
 * are shown when they come again. The database is asked once a second, for all at once, so that this does
 * not depend on the bus; a hint on the bus only makes it quicker.
 */
export function createRevocations({ store, bus, log }: Options) {
  const streams = new Map<EventStream, Caller>();
  const idsOf = (part: 'loginId' | 'keyId') => [
    ...new Set([...streams.values()].flatMap((caller) => caller[part] ?? [])),
  ];
  let isLooking = false;

  async function look(): Promise<void> {
    const [logins, keys] = [idsOf('loginId'), idsOf('keyId')];
    const none = new Map<string, Caller['role']>();
    const [validLogins, validKeys] = await Promise.all([
      logins.length > 0 ? store.logins.stillValid(logins) : none,
      keys.length > 0 ? store.keys.stillValid(keys) : none,
    ]);
    const [askedLogins, askedKeys] = [new Set(logins), new Set(keys)];
    for (const [stream, { role, loginId, keyId }] of streams) {
      const mayNot = (now: Caller['role'] | undefined) => !now || (role === 'admin' && now !== 'admin');
      // Those that came while we asked are asked for the next time.
      if (
        (loginId && askedLogins.has(loginId) && mayNot(validLogins.get(loginId))) ||
        (keyId && askedKeys.has(keyId) && mayNot(validKeys.get(keyId)))
      )
        stream.close();
    }
  }
  const lookNow = () => {
    if (isLooking || streams.size === 0) return;
    isLooking = true;
    look()
      .catch((error) => log.warn({ err: error }, 'could not ask which logins are still valid'))
      .finally(() => {
        isLooking = false;
      });
  };
  const timer = setInterval(lookNow, everyMs);
  const hints = bus.subscribe(loginRevoked, {}, lookNow);

  return {
    track(caller: Caller | undefined, stream: EventStream): void {
      // The built-in user has no login that could end.
      if (!caller?.loginId && !caller?.keyId) return;
      streams.set(stream, caller);
      stream.signal.addEventListener('abort', () => streams.delete(stream));
    },
    /** Tells every server, this one too. */
    announce(userId: string, loginId: string | null): void {
      bus.publish(loginRevoked, {}, { user_id: userId, login_id: loginId });
    },
    close() {
      clearInterval(timer);
      hints.close();
    },
  };
}
