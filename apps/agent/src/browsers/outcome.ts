// The answer of a host to a step, made fit for the database. Private pictures and unstorable text go no further.

import {
  type Acted,
  type AskedAct,
  type Failure,
  type GateVerdict,
  type SessionReply,
  withheldPicture,
} from '@pilothouse/bus';
import { storableJson, storableText } from '@pilothouse/store';

export type Outcome =
  | { type: 'acted'; acted: Acted; image: Uint8Array }
  /** The host says why the step was not done; the browser is still there. */
  | {
      type: 'failed';
      failure: Failure;
      message: string;
      hasTouched: boolean;
      /** Where the rules of the task are the reason: what they said, and what a person has to say yes to. */
      verdict?: GateVerdict;
      asked?: AskedAct;
    }
  /**
   * The browser is gone, or the answer is. `mayHaveActed` is false only where the step was certainly not done. `isUnheard`:
   * the same command may be sent again. `isKept`: the host has the browser, and may not act now.
   */
  | { type: 'lost'; reason: string; mayHaveActed: boolean; isUnheard: boolean; isKept?: boolean };

/** Failures that mean that this agent no longer has the browser. */
const lostBrowser = new Set<Failure>(['no_session', 'stale_epoch', 'crashed']);
export const isLost = (failure: Failure): boolean => lostBrowser.has(failure);

export function outcomeOf({ head, body }: { head: SessionReply; body: Uint8Array }): Outcome {
  if (!head.ok) {
    const { failure, has_touched: hasTouched } = head;
    const message = storableText(head.message);
    // A host without a lease keeps its browsers: what it did not begin is sent again when the lease is back.
    if (failure === 'no_lease')
      return { type: 'lost', reason: message, mayHaveActed: hasTouched, isUnheard: !hasTouched, isKept: true };
    if (isLost(failure)) return { type: 'lost', reason: message, mayHaveActed: hasTouched, isUnheard: false };
    const judged = { ...(head.verdict && { verdict: head.verdict }), ...(head.asked && { asked: told(head.asked) }) };
    return { type: 'failed', failure, message, hasTouched, ...judged };
  }
  if (head.type !== 'acted') throw new Error(`a host answered an act with "${head.type}"`);
  return { type: 'acted', ...withholdPrivate(storable(head), body) };
}

/** Names, values and addresses are text of the page. */
const told = (asked: AskedAct): AskedAct => storableJson(asked) as AskedAct;

/** A picture that only the driver may see is replaced here; the ledger only learns that there was one. */
function withholdPrivate(acted: Acted, image: Uint8Array): { acted: Acted; image: Uint8Array } {
  const { picture } = acted;
  if (!picture?.private) return { acted, image };
  const withheld = withheldPicture(picture);
  return { acted: { ...acted, picture: { ...picture, content_type: withheld.content_type } }, image: withheld.image };
}

/** Pages choose their titles and texts, and PostgreSQL cannot store every character. */
function storable(acted: Acted): Acted {
  const place = ({ url, title }: Acted['after']) => ({ url: storableText(url), title: storableText(title) });
  const { before, after, data, file, picture } = acted;
  const route = picture && { ...picture.route, title: picture.route.title && storableText(picture.route.title) };
  return {
    ...acted,
    before: place(before),
    after: place(after),
    ...(data !== undefined && { data: storableJson(data) }),
    file: file && { ...file, name: storableText(file.name) },
    picture: picture && route && { ...picture, route },
  };
}
