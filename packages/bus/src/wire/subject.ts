// A subject as a template with named tokens, so that who builds one and who reads one agree by type.

/** The names between braces: `host.{host_id}.heartbeat` has `host_id`. */
export type TokenNames<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | TokenNames<Rest>
  : never;

/** One value per token. */
export type Tokens<Name extends string> = Record<Name, string>;

/** What a listener says: every token but the open ones, which may be left out to hear all of them. */
export type Filter<Name extends string, Open extends Name> = Tokens<Exclude<Name, Open>> & Partial<Tokens<Open>>;

export interface Subject<Name extends string = string, Open extends Name = Name> {
  readonly template: string;
  /** The subject to speak on. Throws on a token that is not a plain id. */
  to(tokens: Tokens<Name>): string;
  /** The subject to listen on; an open token that is absent becomes a wildcard. */
  filter(tokens: Filter<Name, Open>): string;
  /** Every token a wildcard; for permissions, not for listening. */
  readonly everything: string;
  /** The tokens of a subject that was received, or undefined if it is not one of these. */
  read(subject: string): Tokens<Name> | undefined;
}

const PLAIN = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether an id may stand in a subject: no dots, no wildcards, no white space. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && PLAIN.test(value);
}

// A crafted id such as `*` or `a.>` must never widen a subject, so nothing is escaped: it is refused.
function checked(name: string, value: unknown): string {
  if (!isToken(value)) throw new TypeError(`${name} is not a plain id and cannot stand in a subject`);
  return value;
}

/** Only tokens named in `open` may be left out by a listener; commands have none, so nobody can overhear them. */
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
    everything: fill(() => '*'),
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
