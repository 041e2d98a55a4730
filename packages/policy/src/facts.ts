// What is known of an act before it happens. The host says all of it; no word of a model is in it, and what a page claims is only
// in its names and words.

import type { Action } from '@pilothouse/contract';

export type ElementFacts = {
  role: string;
  name: string;
  tag: string;
  /** Of an input or a button; null for everything else. */
  type: string | null;
  /** A click on it sends its form. */
  submits: boolean;
  /** A field for a password or a payment card. */
  secret: boolean;
  download: boolean;
  /** Where a link leads; null for what is no link, or leads to no web address. */
  href_origin: string | null;
  form: {
    method: string;
    /** It has a field for a payment card. */
    has_card: boolean;
    /** The names of the controls that send it. */
    send_names: string[];
  } | null;
  /** The words of the dialog that it is in; empty outside of dialogs. */
  dialog_words: string;
};

export type ActFacts = {
  action: Action;
  /** Of the page in front. */
  page_origin: string;
  /** Where a step leads that names an address. */
  to_origin?: string;
  /** Origins that people named, or that pages of the task link to. Absent: where the step leads is not of interest. */
  known_origins?: readonly string[];
  /** Of an address that a model wrote, that no person gave and that was not opened before: the links of the page that lead there. */
  link_names?: readonly string[];
  /** Hosts that showed the words that the step writes, where no person gave them. */
  shown_at?: readonly string[];
  /** The hosts of the element's document and of where its form is sent. */
  goes_to?: readonly string[];
  /** Of a step that chooses: the option. */
  option?: string;
  element?: ElementFacts;
  /** Of a drag: what the element is dropped on. */
  onto?: Pick<ElementFacts, 'name'>;
  /** Of a step that presses a key. */
  key?: string;
  /** The dialog of the browser that is answered. */
  dialog?: { message: string; accept: boolean };
  /** The step says of itself that it cannot be undone. It can only make the class stricter. */
  irreversible: boolean;
};
