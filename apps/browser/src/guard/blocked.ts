// What the guard kept a session from, told to the viewer, and to a step that ran into it.

import type { GuardOf } from './chromium.ts';

export type Refused = {
  /** A page of a kind that may not be shown. */
  scheme(scheme: string): void;
  /** Whether the guard refused this host, or any, since that moment of the monotonic clock. */
  since(moment: number, host?: string): boolean;
};

type Told = { target: string; reason: string; count: number };

const MAX_KEPT = 100;

export function createRefused(guard: GuardOf | undefined, tell: (told: Told) => void): Refused {
  const last = new Map<string, number>();
  guard?.listen({
    onTried(host) {
      last.delete(host);
      last.set(host, performance.now());
      for (const oldest of last.keys()) {
        if (last.size <= MAX_KEPT) break;
        last.delete(oldest);
      }
    },
    onRefused: ({ host, port, reason, count }) =>
      tell({ target: port === undefined ? host : `${host}:${port}`, reason, count }),
  });

  return {
    scheme: (scheme) => guard?.refuse({ via: 'page', host: scheme, port: undefined, reason: 'scheme' }),
    since(moment, host) {
      if (host !== undefined) return (last.get(host) ?? Number.NEGATIVE_INFINITY) >= moment;
      return [...last.values()].some((at) => at >= moment);
    },
  };
}
