// The pace of users whom quotas refuse again and again: their calls that add something are worked on one after the other, further
// and further apart, until their minute ends. Each such call costs statements, refused or not, and others wait for them.

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { overLimit } from './over-limit.ts';

type Options = { windowMs: number; maxDistanceMs?: number; maxWaitMs?: number };
/** Of one user: since their first refusal in it, and when the next call has its turn. */
type Minute = { since: number; refused: number; next: number };

/** Who does what an answer says is refused six times a minute: it says to wait for ten seconds. */
const promptRefusals = 10;
/** Each further refusal puts the calls this much further apart. */
const stepMs = 50;
const retryAfterSecs = 10;

export function createQuotaPace({ windowMs, maxDistanceMs = 1000, maxWaitMs = 10_000 }: Options) {
  const minutes = new Map<string, Minute>();
  const isOver = ({ since }: Minute) => performance.now() - since >= windowMs;
  const minuteOf = (user: string) => {
    const minute = minutes.get(user);
    return minute && !isOver(minute) ? minute : undefined;
  };

  return {
    /** A quota has refused a call of this user. */
    count(user: string): void {
      const minute = minuteOf(user) ?? { since: performance.now(), refused: 0, next: 0 };
      minute.refused += 1;
      minutes.set(user, minute);
    },

    /** Waits for the turn of a call of this user, and says whether it had to; throws where too many wait, or the caller has left. */
    async turn(user: string, response: ServerResponse): Promise<boolean> {
      const minute = minuteOf(user);
      if (!minute || minute.refused <= promptRefusals) return false;
      const now = performance.now();
      const at = Math.max(now, minute.next);
      if (at - now > maxWaitMs) throw tooMany();
      minute.next = at + Math.min(maxDistanceMs, stepMs * (minute.refused - promptRefusals));
      if (at <= now) return false;
      await within(response, at - now);
      return true;
    },

    sweep(): void {
      for (const [user, minute] of minutes) if (isOver(minute)) minutes.delete(user);
    },
  };
}

async function within(response: ServerResponse, ms: number): Promise<void> {
  const left = new AbortController();
  const leave = () => left.abort();
  response.once('close', leave);
  try {
    await sleep(ms, undefined, { signal: left.signal, ref: false });
  } catch {
    throw tooMany();
  } finally {
    response.off('close', leave);
  }
}

const tooMany = () =>
  overLimit({
    ...{ name: 'refused', limit: promptRefusals, windowSecs: 60, remaining: 0, retryAfterSecs },
    detail: 'Your quotas have refused many calls of yours in this minute, and further ones wait for their turn.',
  });
