// What the sites are written with: markup that escapes, requests read, answers made.

/** Text that is markup already. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | false | undefined | readonly Part[];

/** Markup from a template. What is put in is escaped, unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(print)));
}

/** A value that a script on the page begins with. */
export const literal = (value: unknown): Markup => new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));

function print(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(print).join('');
  if (part === undefined || part === false) return '';
  return String(part).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** One request to one site, by one visitor. */
export type Visit<Data> = {
  method: string;
  /** Within the site, from `/`. */
  path: string;
  query: URLSearchParams;
  form: FormData;
  cookie(name: string): string | undefined;
  /** What the site knows of this visitor; no other visitor sees it. */
  data: Data;
  /** Where the site begins, without the origin. */
  here: string;
  /** The same machine under another origin. */
  farOrigin: string;
};

export type Answer = { status: number; headers: Record<string, string>; body: string | Uint8Array };

/** Undefined: there is no such page. */
type Answering = Answer | undefined | Promise<Answer | undefined>;
export type Site<Data> = { open(random: Chance): Data; answer(visit: Visit<Data>): Answering };

/** What a site's first contents are drawn with. */
export type Chance = { below(end: number): number; pick<T>(values: readonly T[]): T };

export const redirect = (location: string, headers: Record<string, string> = {}): Answer => ({
  status: 303,
  headers: { location, ...headers },
  body: '',
});

export const json = (value: unknown): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

export const refuse = (status: number, message: string): Answer => ({ ...json({ message }), status });

/** A field as it was typed: forms send every line break as two characters. */
export function field(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
}

export const fields = (form: FormData, name: string): string[] =>
  form.getAll(name).flatMap((value) => (typeof value === 'string' ? value : []));

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** As the sites write amounts, which they keep in cents. */
export const money = (cents: number): string => `${(cents / 100).toFixed(2)} €`;
