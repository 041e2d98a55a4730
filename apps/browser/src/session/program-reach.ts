// Which hosts a browser may reach while programs drive it: what the session may, without what the rules of their users refuse. The
// guard holds every request to it, so that also scripts of programs are.

import type { DomainPolicy, ProgramRules } from '@pilothouse/bus';

export function narrowReach(reach: DomainPolicy, all: readonly ProgramRules[]): DomainPolicy {
  const lists = all.map(({ rules }) => rules);
  return {
    allow: lists.map(({ allow }) => (allow.length > 0 ? allow : null)).reduce(inBoth, reach.allow),
    deny: [...new Set([...reach.deny, ...lists.flatMap(({ deny }) => deny)])],
  };
}

/** Null: every host. An empty list: none. */
function inBoth(one: string[] | null, other: string[] | null): string[] | null {
  if (!one || !other) return one ?? other;
  const both = [
    ...one.filter((entry) => other.some((wider) => covers(wider, entry))),
    ...other.filter((entry) => one.some((wider) => covers(wider, entry))),
  ];
  return [...new Set(both)];
}

/** A name covers itself and all below it; with `*.` before it, only those below it. */
function covers(wider: string, entry: string): boolean {
  if (wider === entry) return true;
  const [name, isOnlyBelow] = wider.startsWith('*.') ? [wider.slice(2), true] : [wider, false];
  const host = entry.startsWith('*.') ? entry.slice(2) : entry;
  return host.endsWith(`.${name}`) || (host === name && !isOnlyBelow);
}
