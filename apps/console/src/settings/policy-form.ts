// The rules of a person as they are written, as they are sent, and what of the effective rules comes from elsewhere.

import { toSentence } from '../api/words.ts';
import type { PolicyReply } from '../live/api-types.ts';
import { type Line, textsOf, writtenIn } from './lines.ts';

export type Policy = PolicyReply['policy'];
export type PolicyMode = NonNullable<Policy['mode']>;
export const listNames = ['allow', 'deny', 'read_only', 'watch'] as const;
export type ListName = (typeof listNames)[number];

/** Without a mode, that of the installation holds. */
export type PolicyForm = { mode: PolicyMode | ''; lines: Record<ListName, Line[]> };

export const formOf = (policy: Policy): PolicyForm => {
  let key = 0;
  const linesOf = (name: ListName) => (policy[name] ?? []).map((text) => ({ key: key++, text }));
  return {
    mode: policy.mode ?? '',
    lines: {
      allow: linesOf('allow'),
      deny: linesOf('deny'),
      read_only: linesOf('read_only'),
      watch: linesOf('watch'),
    },
  };
};

export const newKey = ({ lines }: PolicyForm): number =>
  Math.max(-1, ...listNames.flatMap((name) => lines[name].map(({ key }) => key))) + 1;

/** What is sent. Empty lines are no rules. */
export function policyOf({ mode, lines }: PolicyForm): Policy {
  const lists = listNames.map((name) => [name, textsOf(lines[name])] as const);
  return {
    ...(mode === '' ? {} : { mode }),
    ...Object.fromEntries(lists.filter(([, hosts]) => hosts.length > 0)),
  };
}

/** What the server says of each line, by its key; what it says of a whole list by the name of the list. */
export function faultsOf(form: PolicyForm, errors: readonly { pointer: string; message: string }[]) {
  const faults: { lines: Record<number, string>; lists: Partial<Record<ListName, string>> } = { lines: {}, lists: {} };
  for (const { pointer, message } of errors) {
    const [, list, index] = /(?:^|\/)(allow|deny|read_only|watch)(?:\/(\d+))?$/.exec(pointer) ?? [];
    const name = listNames.find((one) => one === list);
    const line = name && index !== undefined ? writtenIn(form.lines[name])[Number(index)] : undefined;
    if (line) faults.lines[line.key] = toSentence(message);
    else if (name) faults.lists[name] = toSentence(message);
  }
  return faults;
}

const modes: readonly PolicyMode[] = ['free', 'standard', 'careful', 'watch'];

/** Where the installation is stricter than the rules that the person has saved. */
export function stricterThan({ policy, effective }: Pick<PolicyReply, 'policy' | 'effective'>) {
  const isMode = modes.indexOf(effective.mode) > modes.indexOf(policy.mode ?? effective.mode);
  const added = (name: ListName) => effective[name].filter((host) => !policy[name]?.includes(host));
  return {
    mode: isMode ? effective.mode : undefined,
    deny: added('deny'),
    read_only: added('read_only'),
    watch: added('watch'),
    /** Hosts of the person's list that the installation does not allow. */
    notAllowed:
      effective.allow.length === 0
        ? []
        : (policy.allow ?? []).filter((host) => !effective.allow.some((name) => isBelow(host, name))),
    /** The list of the installation, where the person has none. */
    onlyAllowed: policy.allow?.length ? [] : effective.allow,
  };
}

const isBelow = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`);
