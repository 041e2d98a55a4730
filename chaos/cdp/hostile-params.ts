// Parameters that a hostile program would send with a command, made of what Chromium says of the command itself.

import type { ProtocolDomain, ProtocolType } from '../../apps/browser/testing/protocol.ts';

type Params = Record<string, unknown>;

/** What a hostile program tries in the place of every text. */
export type HostileTexts = Record<string, string>;
/** Things of the program's own page by the names of parameters, so that what is hostile beside them is looked at. */
export type OwnThings = Params;
export type Variant = { name: string; params: unknown };

const hugeText = 'A'.repeat(256 * 1024);
const depth = 3;

/** What every parameter gets that is no text. */
const plain: Record<string, unknown> = { integer: 1, number: 1, boolean: true, any: 'x', binary: 'eA==' };
/** Values of any type but the right one. */
const wrong: Record<string, unknown> = {
  string: 12_345,
  integer: 'x',
  number: { x: 1 },
  boolean: 'yes',
  array: 'x',
  object: [[]],
  any: { toString: 1 },
};
/** Neither a text nor a number can be made of it. */
const unreadable = { toString: 1, valueOf: 1 };

export function createHostileParams(domains: ProtocolDomain[]) {
  const types = new Map<string, ProtocolType>(
    domains.flatMap(({ domain, types: ofDomain = [] }) => ofDomain.map((one) => [`${domain}.${one.id}`, one] as const)),
  );
  const commands = new Map<string, { domain: string; parameters: ProtocolType[] }>(
    domains.flatMap(({ domain, commands: ofDomain = [] }) =>
      ofDomain.map(({ name, parameters = [] }) => [`${domain}.${name}`, { domain, parameters }] as const),
    ),
  );

  function resolve(domain: string, type: ProtocolType): { domain: string; type: ProtocolType } {
    if (!type.$ref) return { domain, type };
    const name = type.$ref.includes('.') ? type.$ref : `${domain}.${type.$ref}`;
    const found = types.get(name);
    return found ? { domain: name.split('.')[0] ?? domain, type: found } : { domain, type: { type: 'any' } };
  }

  /** A value of the parameter's type. Where the type is free text, the value is `text`. */
  function makeValue(inDomain: string, given: ProtocolType, text: string, left = depth): unknown {
    const { domain, type } = resolve(inDomain, given);
    if (type.enum) return type.enum[0];
    if (type.type === 'string') return text;
    if (type.type === 'array') return left > 0 && type.items ? [makeValue(domain, type.items, text, left - 1)] : [];
    if (type.type === 'object')
      return left > 0
        ? Object.fromEntries((type.properties ?? []).map((one) => [one.name, makeValue(domain, one, text, left - 1)]))
        : {};
    return plain[type.type ?? 'any'] ?? 'x';
  }

  /** `own`: what the program has itself takes the place of parameters of these names. */
  function fill(method: string, text: string, { own = {}, isWhole }: { own?: OwnThings; isWhole: boolean }): Params {
    const { domain = '', parameters = [] } = commands.get(method) ?? {};
    return Object.fromEntries(
      parameters
        .filter(({ optional, name = '' }) => isWhole || !optional || /^(files|url|path|.*[pP]ath)$/.test(name))
        .map((one) => [one.name, own[one.name ?? ''] ?? makeValue(domain, one, text)]),
    );
  }

  function wrongTypes(method: string): Params {
    const { domain = '', parameters = [] } = commands.get(method) ?? {};
    return Object.fromEntries(parameters.map((one) => [one.name, wrong[resolve(domain, one).type.type ?? 'any'] ?? 1]));
  }

  /** A list or an object that is one, and has in it only `member`; anything else is `member` itself. */
  function wrongWithin(inDomain: string, given: ProtocolType, member: unknown): unknown {
    const { type } = resolve(inDomain, given);
    if (type.type === 'array') return [member];
    if (type.type !== 'object' || !type.properties) return member;
    return Object.fromEntries(type.properties.map(({ name }) => [name, member]));
  }

  function wrongMembers(method: string, member: unknown): Params {
    const { domain = '', parameters = [] } = commands.get(method) ?? {};
    const isNamed = ({ name, enum: words }: ProtocolType) => name === 'type' && words !== undefined;
    // By the first of its types a command is one that is read further.
    return Object.fromEntries(
      parameters.map((one) => [one.name, isNamed(one) ? one.enum?.[0] : wrongWithin(domain, one, member)]),
    );
  }

  /** What is kept and used later is what was switched on. */
  function switchedOn(method: string): Params {
    const { domain = '', parameters = [] } = commands.get(method) ?? {};
    const flags = parameters.filter((one) => resolve(domain, one).type.type === 'boolean');
    return Object.fromEntries(flags.map(({ name }) => [name, true]));
  }

  return {
    methods: [...commands.keys()],
    /** `isSmall`: only those that reach furthest. */
    variantsOf(method: string, texts: HostileTexts, own: OwnThings, { isSmall }: { isSmall: boolean }): Variant[] {
      const common = [
        { name: 'nothing', params: {} },
        { name: 'wrong types', params: wrongTypes(method) },
        { name: 'null members', params: wrongMembers(method, null) },
        { name: 'members of no type', params: wrongMembers(method, unreadable) },
        { name: 'switched on with null members', params: { ...wrongMembers(method, null), ...switchedOn(method) } },
        { name: 'huge', params: fill(method, hugeText, { isWhole: true }) },
      ];
      const hostile = Object.entries(texts).flatMap(([name, text]) => [
        { name: `${name}, own`, params: fill(method, text, { own, isWhole: false }) },
        { name: `${name}, all`, params: fill(method, text, { isWhole: true }) },
        { name: `${name}, whole`, params: fill(method, text, { own, isWhole: true }) },
      ]);
      // What a command without parameters gets is always the same.
      const seen = new Set<string>();
      return [...common, ...hostile.filter((_, at) => !isSmall || at % 3 === 0)].filter(({ params }) => {
        const written = JSON.stringify(params);
        return !seen.has(written) && seen.add(written);
      });
    },
  };
}
export type HostileParams = ReturnType<typeof createHostileParams>;
