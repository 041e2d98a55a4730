// What the card of an approval says. Pure: the texts of pages stay as they are, and no address becomes a link.

import type { Approval } from '../live/api-types.ts';
import { describeAct } from './describe-act.ts';

/** One line of the card: a word of ours, and a text that may be the page's. */
export type ActFact = { term: string; text: string };

/** A label of a button, or a line beside the picture, is read at a glance. */
const labelLength = 80;

/** `Yes, click “Place order”`: the yes repeats what it is for. */
export const describeYes = (action: string): string => `Yes, ${within(action)}`;

/** `Wants to click “Place order”`, beside the target on the picture. */
export const describeWish = (action: string): string => `Wants to ${within(action)}`;

function within(action: string): string {
  const act = describeAct(action);
  const short = act.length > labelLength ? `${act.slice(0, labelLength)}…` : act;
  return /^[A-Z][a-z]/.test(short) ? `${short.charAt(0).toLowerCase()}${short.slice(1)}` : short;
}

/** Where the act happens, and what it writes. Where the form goes is said only if it leaves the site that the person sees. */
export function describeFacts(approval: Approval): ActFact[] {
  const { page, frame_origin, form_action, value, secret } = approval;
  const facts: ActFact[] = [{ term: 'Where', text: page === null ? 'No page is open' : describeAddress(page) }];
  if (frame_origin !== null) facts.push({ term: 'In a frame of', text: describeAddress(frame_origin) });
  if (form_action !== null && originOf(form_action) !== originOf(page))
    facts.push({ term: 'Sends to', text: describeAddress(form_action) });
  if (value !== null) facts.push({ term: approval.class === 'upload' ? 'File' : 'Value', text: value });
  if (secret !== null) facts.push({ term: 'Secret', text: secret });
  return facts;
}

/** The lock of the address bar is not beside it: an address without one keeps its `http`. */
const describeAddress = (address: string): string => address.replace(/^https:\/\//i, '').replace(/(?<=[^/])\/$/, '');

/** An address that cannot be read has an origin of its own. */
const originOf = (address: string | null): string => {
  const origin = address === null ? undefined : URL.parse(address)?.origin;
  return origin === undefined || origin === 'null' ? `none of ${address}` : origin;
};

/** Each amount apart from the others, also where one of them turns the direction of writing. */
export const describeAmounts = (amounts: readonly string[]): string =>
  amounts.map((amount) => `\u2068${amount}\u2069`).join(' · ');

/** What the yes is good for, and what voids it. `time`: of the question, in words. */
export function describeBinding({ action, picture_path }: Approval, time: string): string {
  const act = /^click\b/i.test(action) ? 'click' : 'act';
  const page = picture_path === null ? 'as it was' : 'as pictured';
  return `Good for this one ${act}, on the page ${page} at ${time}. If the page changes first, you are asked again.`;
}

/** Whether the picture shows the page of the approval. Its address has neither query nor fragment. */
export function isOfPage({ page }: Pick<Approval, 'page'>, shownUrl: string): boolean {
  const shown = URL.parse(shownUrl);
  const own = page === null ? null : URL.parse(page);
  return shown !== null && own !== null && shown.origin === own.origin && shown.pathname === own.pathname;
}

/** Words are never taken for one of the choices, whatever they are. */
export const describeNo = (words: string): string => `No. ${words.trim()}`;
