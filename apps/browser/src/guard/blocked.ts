// What the guard refused to a session: reported to viewers, and asked for by a step that ran into it.

import type { BrowserGuard } from './proxy.ts';

export type BlockedRequests = {
  /** A page of a kind that may not be shown. */
  scheme(scheme: string): void;
  /** Whether the guard refused this host, or any, since that moment of the monotonic clock. */
  since(moment: number, host?: string): boolean;
  /** Why the guard refused this very address since that moment; undefined if it did not. */
  refusalOf(url: URL, moment: number): { target: string; reason: string } | undefined;
};

type RefusalReport = { target: string; reason: string; count: number };

const maxKept = 100;

export function createBlockedRequests(
  guard: BrowserGuard | undefined,
  tell: (told: RefusalReport) => void,
): BlockedRequests {
  const last = new Map<string, { at: number; port: number | undefined; reason: string }>();
  guard?.listen({
    onTried(host, reason, port) {
      last.delete(host);
      last.set(host, { at: performance.now(), port, reason });
      for (const oldest of last.keys()) {
        if (last.size <= maxKept) break;
        last.delete(oldest);
      }
    },
    onRefused: ({ host, port, reason, count }) =>
      tell({ target: port === undefined ? host : `${host}:${port}`, reason, count }),
  });

  return {
    scheme: (scheme) => guard?.refuse({ via: 'page', host: scheme, port: undefined, reason: 'scheme' }),
    since(moment, host) {
      if (host !== undefined) return (last.get(host)?.at ?? Number.NEGATIVE_INFINITY) >= moment;
      return [...last.values()].some(({ at }) => at >= moment);
    },
    refusalOf({ hostname, port, protocol }, moment) {
      const found = last.get(hostname);
      const asked = Number(port) || (protocol === 'https:' ? 443 : 80);
      if (!found || found.at < moment || found.port !== asked) return undefined;
      return { target: `${hostname}:${asked}`, reason: found.reason };
    },
  };
}
