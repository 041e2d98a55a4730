// A subject as a template with named tokens: its writer and its reader agree by type.

/** The names between braces: `host.{host_id}.heartbeat` has `host_id`. */
export type TokenNames<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | TokenNames<Rest>
  : never;

/** One value per token. */
export type Tokens<Name extends string> = Record<Name, string>;

/** The filter of a listener: every token but the open ones, which may be left out to receive all of them. */
export type Filter<Name extends string, Open extends Name> = Tokens<Exclude<Name, Open>> & Partial<Tokens<Open>>;

export interface Subject<Name extends string = string, Open extends Name = Name> {
  readonly template: string;
  /** The subject to publish on. Throws on a token that is not a plain id. */
  to(tokens: Tokens<Name>): string;
  /** The subject to subscribe to; an open token that is absent becomes a wildcard. */
  filter(tokens: Filter<Name, Open>): string;
  /** With a wildcard for every absent token; for permissions, not for subscriptions. */
  pattern(given: Partial<Tokens<string>>): string;
  /** The tokens of a subject that was received, or undefined if it is not one of these. */
  read(subject: string): Tokens<Name> | undefined;
}

const plainToken = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether an id may stand in a subject: no dots, no wildcards, no white space. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && plainToken.test(value);
}

// A crafted id such as `*` or `a.>` must never widen a subject, so nothing is escaped: it is refused.
function checked(name: string, value: unknown): string {
  if (!isToken(value)) throw new TypeError(`${name} is not a plain id and cannot stand in a subject`);
  return value;
}

/** Only tokens named in `open` may be left out by a listener; commands have none, so no process can overhear them. */
export function subject<const Template extends string, const Open extends TokenNames<Template> = never>(
  template: Template,
  open: readonly Open[] = [],
): Subject<TokenNames<Template>, Open> {
  type Name = TokenNames<Template>;
  type Part = { name: Name } | { text: string };
  const parts = template
    .split('.')
    .map((part): Part => (part.startsWith('{') ? { name: part.slice(1, -1) as Name } : { text: part }));
  const fill = (value: (name: Name) => string) =>
    parts.map((part) => ('name' in part ? value(part.name) : part.text)).join('.');

  return {
    template,
    to: (tokens) => fill((name) => checked(name, tokens[name])),
    filter: (tokens) => {
      const given = tokens as Partial<Tokens<Name>>; // a filter is the tokens with the open ones optional
      const mayBeOpen = (name: Name) => (open as readonly Name[]).includes(name);
      return fill((name) => (given[name] === undefined && mayBeOpen(name) ? '*' : checked(name, given[name])));
    },
    pattern: (given) => fill((name) => (given[name] === undefined ? '*' : checked(name, given[name]))),
    read: (received) => {
      const words = received.split('.');
      if (words.length !== parts.length) return undefined;
      const tokens: Partial<Tokens<Name>> = {};
      for (const [index, part] of parts.entries()) {
        const word = words[index];
        if ('name' in part) {
          if (!isToken(word)) return undefined;
          tokens[part.name] = word;
        } else if (word !== part.text) return undefined;
      }
      return tokens as Tokens<Name>; // every token of the template was read above
    },
  };
}

/** Whether some subject fits both patterns: `*` stands for one word, `>` at the end for one or more. */
export function subjectsMeet(one: string, other: string): boolean {
  const meet = ([a, ...as]: string[], [b, ...bs]: string[]): boolean => {
    if (a === undefined || b === undefined) return a === b;
    if (a === '>' || b === '>') return true;
    return (a === b || a === '*' || b === '*') && meet(as, bs);
  };
  return meet(one.split('.'), other.split('.'));
}
