// What a class of act needs: nothing, a person's yes, or it is refused. The stricter of installation, user and task wins.

import type { ActClass, Classified } from './classify.ts';

/** From the mildest on. `free` asks for nothing, and only administrators may choose it. */
export const modes = ['free', 'standard', 'careful', 'watch'] as const;
export type Mode = (typeof modes)[number];

export type Rules = {
  mode: Mode;
  /** Hosts, also with all names below them. Empty: every host. */
  allow: string[];
  deny: string[];
  /** Nothing is changed there. */
  read_only: string[];
};

export type Verdict = { outcome: 'allow' | 'ask' | 'deny'; sentence: string };

const asked: Record<Mode, readonly ActClass[]> = {
  free: [],
  standard: ['commit', 'upload'],
  careful: ['commit', 'upload', 'download', 'credential', 'submit', 'dialog'],
  watch: ['commit', 'upload', 'download', 'credential', 'submit', 'dialog'],
};
const mild: readonly ActClass[] = ['read', 'move'];

/** A host, or one below it. */
export const isBelow = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`);

/** Undefined for an empty page, and for a document whose origin is opaque: the page around it has a host. */
const hostOf = (origin: string): string | undefined => URL.parse(origin)?.hostname || undefined;

export function strictestOf(all: readonly Rules[]): Rules {
  const [first = { mode: 'standard', allow: [], deny: [], read_only: [] }, ...others] = all;
  return others.reduce<Rules>(
    (one, other) => ({
      mode: modes.indexOf(other.mode) > modes.indexOf(one.mode) ? other.mode : one.mode,
      allow: narrowed(one.allow, other.allow),
      deny: [...one.deny, ...other.deny],
      read_only: [...one.read_only, ...other.read_only],
    }),
    first,
  );
}

/** What both lists allow. A list that allows nothing in common must not read as one that allows all. */
function narrowed(one: string[], other: string[]): string[] {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const both = [
    ...one.filter((host) => other.some((name) => isBelow(host, name))),
    ...other.filter((host) => one.some((name) => isBelow(host, name))),
  ];
  return both.length > 0 ? [...new Set(both)] : ['invalid'];
}

/** `origins`: of the page, the frame and where the act leads; each of them has to be allowed. */
export function verdictOn(act: Classified, origins: readonly string[], rules: Rules): Verdict {
  for (const origin of origins) {
    const host = hostOf(origin);
    const refused = host === undefined ? undefined : refusalAt(host, act, rules);
    if (refused) return { outcome: 'deny', sentence: refused };
  }
  if (asked[rules.mode].includes(act.class))
    return { outcome: 'ask', sentence: `A person has to say yes, because ${act.why}.` };
  return { outcome: 'allow', sentence: `It needs no yes: ${act.why}.` };
}

function refusalAt(host: string, act: Classified, { allow, deny, read_only }: Rules): string | undefined {
  if (deny.some((name) => isBelow(host, name))) return `${host} is on the list of hosts that are refused.`;
  if (allow.length > 0 && !allow.some((name) => isBelow(host, name)))
    return `${host} is not on the list of hosts that are allowed.`;
  if (!mild.includes(act.class) && read_only.some((name) => isBelow(host, name)))
    return `${host} may only be read, and ${act.why}.`;
  return undefined;
}
