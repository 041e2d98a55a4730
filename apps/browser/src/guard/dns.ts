// The addresses of a name, asked once. What comes back is checked and then connected to, so an answer that changes
// afterwards changes nothing.

import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** All addresses of a name, or an error. Ends by itself within a time of its own; `close` ends it at once. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export type NameResolver = { resolve: Resolve; close(): void };

/**
 * Asks the name servers themselves. The system's own way would read the machine's file of hosts, try the names of its
 * network, and hold one of the few threads that files are read with for as long as a slow server likes.
 */
export function openResolver({ timeoutMs, servers }: { timeoutMs: number; servers?: readonly string[] }): NameResolver {
  const resolver = new Resolver({ timeout: timeoutMs / 2, tries: 2 });
  if (servers) resolver.setServers(servers);
  return {
    async resolve(name) {
      const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      // Most names have no address of one of the kinds, and that is told as an error.
      const found = [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (found.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
      return found;
    },
    close: () => resolver.cancel(),
  };
}

/** Addresses stand for themselves, and `localhost` is this machine whatever a name server says. */
export function withKnownNames(resolve: Resolve): Resolve {
  return async (name) => {
    if (isIP(name)) return [name];
    if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    return resolve(name);
  };
}

/** Keeps answers for a while: a page asks for one name a hundred times. A failure is asked again. */
export function cached(resolve: Resolve, { forMs, atMost }: { forMs: number; atMost: number }): Resolve {
  const known = new Map<string, { until: number; answer: Promise<readonly string[]> }>();
  return (name) => {
    const kept = known.get(name);
    if (kept && kept.until > performance.now()) return kept.answer;
    const answer = resolve(name);
    known.delete(name);
    known.set(name, { until: performance.now() + forMs, answer });
    answer.catch(() => known.get(name)?.answer === answer && known.delete(name));
    const [oldest] = known.keys();
    if (known.size > atMost && oldest !== undefined) known.delete(oldest);
    return answer;
  };
}
