// What a class of act needs: nothing, a person's yes, or it is refused. The stricter of installation, user and task wins.

import {
  type ActClass,
  policyModes as modes,
  type Policy,
  type PolicyMode,
  type PolicyRules,
} from '@pilothouse/contract';
import type { Classified } from './classify.ts';

/** Hosts in lists stand for themselves and all names below them. An empty list of allowed hosts allows every host. */
export type Rules = PolicyRules;

/** `watch`: it may be done while a person watches, and only then. */
export type Verdict = { outcome: 'allow' | 'ask' | 'deny' | 'watch'; sentence: string };

/** A yes to a class of act on a site, for one task. */
export type Grant = { class: ActClass; origin: string };

/** What else a verdict depends on. */
export type Standing = {
  /** A person wrote the step itself: in the mode `standard` that is their yes. */
  isGiven?: boolean;
  isWatched?: boolean;
  /** The page holds words that no person gave: to send them, one has to say yes. */
  isUnsaid?: boolean;
  /** A person said no to an act of this task on this site: what is sent there needs a yes. */
  isAfterNo?: boolean;
  /** The address could carry away what no person gave. */
  carriesMuch?: boolean;
  grants?: readonly Grant[];
  /** The site that a grant would have to name; see `siteOf`. */
  site?: string;
};

const careful: readonly ActClass[] = ['commit', 'upload', 'reach', 'download', 'credential', 'submit', 'dialog'];
const asked: Record<PolicyMode, readonly ActClass[]> = {
  free: [],
  standard: ['commit', 'upload', 'reach'],
  careful,
  watch: careful,
};
const mild: readonly ActClass[] = ['read', 'move', 'reach'];

/** A host, or one below it. */
const isBelow = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`);

/** Undefined for an empty page, and for a document whose origin is opaque: the page around it has a host. */
const hostOf = (origin: string): string | undefined => URL.parse(origin)?.hostname || undefined;

/**
 * The strictest of what the installation, the user and the task say. A mode that nobody names is `standard`. A list only ever
 * takes away, whatever the others say.
 */
export function strictestOf(all: readonly Policy[]): Rules {
  const named = all.flatMap(({ mode }) => mode ?? []).map((mode) => modes.indexOf(mode));
  const both = (list: 'deny' | 'read_only' | 'watch') => [...new Set(all.flatMap((one) => hostsOf(one[list])))];
  return {
    mode: modes[Math.max(...named)] ?? 'standard',
    allow: all.map(({ allow }) => hostsOf(allow)).reduce(narrowed, []),
    deny: both('deny'),
    read_only: both('read_only'),
    watch: both('watch'),
  };
}

/**
 * What holds for a task. `standard` of the installation is what holds where nobody says more; everything stricter holds for all.
 * `free` counts only for administrators.
 */
export function rulesFor({ installation, user = {}, task = {}, isAdmin }: RuleParts): Rules {
  const { mode, ...lists } = installation;
  const floor = mode === 'careful' || mode === 'watch' ? { ...lists, mode } : lists;
  const own = [user, task].map((one) => (one.mode === 'free' && !isAdmin ? { ...one, mode: undefined } : one));
  return strictestOf([floor, ...own]);
}
type RuleParts = { installation: Policy; user?: Policy; task?: Policy; isAdmin: boolean };

/** As addresses have them: in small letters, and names of other scripts in the letters that are sent. */
const hostsOf = (list: readonly string[] = []): string[] =>
  list.map((name) => URL.parse(`http://${name}/`)?.hostname ?? name);

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
export function verdictOn(act: Classified, origins: readonly string[], rules: Rules, standing: Standing = {}): Verdict {
  const hosts = origins.flatMap((origin) => hostOf(origin) ?? []);
  for (const host of hosts) {
    const refused = refusalAt(host, act, rules);
    if (refused) return { outcome: 'deny', sentence: refused };
  }
  if (!standing.isWatched && isOnlyWatched(hosts, act, rules))
    return { outcome: 'watch', sentence: `It is done only while a person watches, because ${act.why}.` };
  const isLiterallyGiven = rules.mode === 'standard' && standing.isGiven === true;
  if (!isLiterallyGiven && act.class === 'reach' && standing.carriesMuch && rules.mode !== 'free')
    return {
      outcome: 'deny',
      sentence: `Its address carries more than a few words that no person gave, and ${act.why}.`,
    };
  const doubt = act.class === 'submit' && rules.mode !== 'free' ? doubtOf(standing) : '';
  if (isLiterallyGiven || !(doubt || asked[rules.mode].includes(act.class)))
    return { outcome: 'allow', sentence: `It needs no yes: ${act.why}.` };
  const isGranted = standing.grants?.some((one) => one.class === act.class && one.origin === standing.site);
  if (isGranted) return { outcome: 'allow', sentence: `A person said yes to this kind on this site: ${act.why}.` };
  return { outcome: 'ask', sentence: `A person has to say yes, because ${act.why}${doubt}.` };
}

/** Why a form that would be sent without a question is not. */
function doubtOf({ isUnsaid, isAfterNo }: Standing): string {
  if (isUnsaid) return ' with words that no person gave';
  return isAfterNo ? ' after a person said no to an act on this site' : '';
}

/**
 * The site that a yes to a class of act holds for: where the step leads, or the document of the element. A document without
 * an origin of its own counts only inside of its page, and a form that is sent elsewhere has no site.
 */
export function siteOf({
  to,
  frame,
  page,
  form,
}: {
  to?: string;
  frame?: string;
  page: string;
  form?: string;
}): string {
  if (to !== undefined) return to;
  const own = frame === undefined ? page : frame === 'null' ? `null in ${page}` : frame;
  return form === undefined || form === own ? own : `${own} to ${form}`;
}

const isOnlyWatched = (hosts: string[], act: Classified, { mode, watch }: Rules): boolean =>
  !mild.includes(act.class) && (mode === 'watch' || hosts.some((host) => watch.some((name) => isBelow(host, name))));

function refusalAt(host: string, act: Classified, { allow, deny, read_only }: Rules): string | undefined {
  if (deny.some((name) => isBelow(host, name))) return `${host} is on the list of hosts that are refused.`;
  if (allow.length > 0 && !allow.some((name) => isBelow(host, name)))
    return `${host} is not on the list of hosts that are allowed.`;
  if (!mild.includes(act.class) && read_only.some((name) => isBelow(host, name)))
    return `${host} may only be read, and ${act.why}.`;
  return undefined;
}
