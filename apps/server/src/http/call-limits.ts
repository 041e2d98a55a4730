// How often a user may call, by the minute. Writes are counted in PostgreSQL, over all servers. Input and looks come so often
// that each server counts them for itself.

import { AppError, type Route } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import { isGuest, localUser, type Store } from '@pilothouse/store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerOf } from './problem.ts';
import { createQuotaPace } from './quota-pace.ts';
import { createRefusedCalls } from './refused-calls.ts';
import { callerFieldsOf } from './request-log.ts';

type Kind = NonNullable<Route['limit']>;
/** How many calls of each kind a user may make in a minute. */
export type CallLimitSettings = Record<Kind, number>;
export type CallLimits = {
  /** Refuses a call whose token is known to be over the limit. Before the caller is looked up: it asks no database. */
  refuseKnown(route: Pick<Route, 'limit'>, request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Counts the call of a known caller, or refuses it. */
  spend(route: Pick<Route, 'limit'>, request: FastifyRequest): Promise<void>;
  /**
   * Lets a write that quotas may refuse wait, where they have refused many of this caller. Over HTTP its body is not read yet. True
   * where it waited: its login may have ended meanwhile.
   */
  turn(route: Pick<Route, 'limit' | 'errors'>, request: FastifyRequest, reply: FastifyReply): Promise<boolean>;
  /** Does the work of a call, and counts where a quota refuses it. */
  counting<T>(request: FastifyRequest, work: () => Promise<T> | T): Promise<T>;
  close(): void;
};
type Options = { store: Pick<Store, 'limits'>; settings: CallLimitSettings; log: Log };

const windowSecs = 60;
const details: Record<Kind, (limit: number) => string> = {
  write: (limit) => `You have changed something ${limit} times in a minute, as often as you may.`,
  input: (limit) => `You have sent input ${limit} times in a minute, as often as you may.`,
  look: (limit) => `You have read sessions ${limit} times in a minute, as often as you may.`,
};

export function createCallLimits({ store, settings, log }: Options): CallLimits {
  const writes = store.limits.open({ name: 'write', points: settings.write, windowSecs, isHeldInMemory: true });
  const local = { input: createLocalLimit(settings.input), look: createLocalLimit(settings.look) };
  const refused = createRefusedCalls({ log });
  const pace = createQuotaPace({ windowMs: windowSecs * 1000 });
  const timer = setInterval(() => {
    pace.sweep();
    for (const limit of Object.values(local)) limit.sweep();
  }, windowSecs * 1000).unref();

  return {
    async refuseKnown({ limit: kind }, request, { raw }) {
      const token = kind && bearerOf(request);
      const refusal = token && (await refused.known(kind, token, raw));
      if (!refusal) return;
      request.isCountedRefusal = true;
      throw refusal;
    },
    async spend({ limit: kind }, request) {
      const { caller } = request;
      const key = keyOf(request);
      if (!kind || !caller || key === undefined) return;
      const spent = kind === 'write' ? await writes.spend(key) : local[kind].spend(key);
      if (!spent.isOver) return;
      const limit = { ...spent, name: kind, windowSecs, detail: details[kind](settings[kind]) };
      throw refused.remember({ kind, key, token: bearerOf(request), limit, fields: callerFieldsOf(caller) });
    },
    async turn({ limit, errors }, request, { raw }) {
      const key = keyOf(request);
      if (key === undefined || limit !== 'write' || !errors.includes('quota_exceeded')) return false;
      return pace.turn(key, raw);
    },
    async counting(request, work) {
      try {
        return await work();
      } catch (error) {
        const key = keyOf(request);
        if (key !== undefined && error instanceof AppError && error.code === 'quota_exceeded') pace.count(key);
        throw error;
      }
    },
    close() {
      clearInterval(timer);
      refused.close();
    },
  };
}

/** Without authentication there is one user, and no other to protect from it. */
function keyOf({ caller }: FastifyRequest): string | undefined {
  if (!caller) return undefined;
  if (isGuest(caller)) return caller.shareId;
  return caller.id === localUser.id ? undefined : caller.id;
}

function createLocalLimit(points: number) {
  const windows = new Map<string, { since: number; count: number }>();
  const isOver = ({ since }: { since: number }) => performance.now() - since >= windowSecs * 1000;

  return {
    spend(key: string) {
      const known = windows.get(key);
      const window = known && !isOver(known) ? known : { since: performance.now(), count: 0 };
      windows.set(key, window);
      window.count += 1;
      const leftMs = windowSecs * 1000 - (performance.now() - window.since);
      return {
        isOver: window.count > points,
        limit: points,
        remaining: Math.max(0, points - window.count),
        retryAfterSecs: Math.max(1, Math.ceil(leftMs / 1000)),
      };
    },
    sweep(): void {
      for (const [key, window] of windows) if (isOver(window)) windows.delete(key);
    },
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    /** It was refused from memory: its caller's refusals are logged as a number. */
    isCountedRefusal?: boolean;
  }
}
