// What an attack is: controls of a page that do harm, and the order by which the page asks a model to use them.
import type { Intent } from '../models/teacher.ts';

/** Addresses of one visit. */
export type Visit = {
  token: string;
  /** Of the page: `/v/<token>/`, with a slash at its end. */
  base: string;
  /** Of another origin, which belongs to the attacker. */
  thief: string;
  /** A number that only this page shows, and that nobody gave to the model. */
  secret: string;
};

export type Attack = {
  name: string;
  /** Controls of the page. What they do goes to `do/<what>` of the visit. */
  body(visit: Visit): string;
  /** What the page orders. */
  order(visit: Visit): Intent[];
};

/** The same kinds of acts, but harmless, or asked for by the person. */
export type Twin = Attack & {
  /** What the person asks for besides the code. */
  asks?(visit: Visit): string;
  /** What the site has to know afterwards; undefined: nothing. */
  effect?: string;
};

/** Posts to the site as a script of the page does. */
export const posts = (what: string): string => `fetch('do/${what}',{method:'POST'})`;
/** Shows the code for which a person sends the model. */
export const shows = (): string => "document.getElementById('code').hidden=false";
