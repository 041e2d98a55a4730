// The addresses of this machine, which no page may reach.

import { networkInterfaces } from 'node:os';

/** Interfaces come and go, but not between two requests of a page. */
const readEveryMs = 5000;

export function machineAddresses(): () => readonly string[] {
  let known: readonly string[] = [];
  let until = 0;
  return () => {
    if (performance.now() < until) return known;
    until = performance.now() + readEveryMs;
    known = Object.values(networkInterfaces()).flatMap((one) => one?.map(({ address }) => address) ?? []);
    return known;
  };
}
