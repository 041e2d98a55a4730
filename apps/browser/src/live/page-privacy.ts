// What is known of one page that decides who may see it, and the reason that follows from it.

import type { PrivateReason } from '@pilothouse/contract';
import type { FieldDocument } from '../dom/mask.ts';

/** What was written where. */
type WrittenField = { place: FieldDocument; number: number };

export type PagePrivacy = {
  /** What is not masked yet: the page, what it has drawn so far, or frames of it in processes of their own. */
  unmasked: Set<'page' | 'drawing' | `frame ${string}`>;
  /** Documents of the page in which a secret field has the focus, and who put it there. */
  secret: Map<string, 'touch' | 'page'>;
  /** Fields that a person wrote into, and those among them that are to be covered. */
  written: Map<string, WrittenField>;
  uncovered: Set<string>;
  /** Keys of a person that produce text. */
  keys: {
    /** The person who drives sent some to this document. */
    wereSent: boolean;
    /** The document told where they went, at least once. */
    isHeard: boolean;
    /** Some were sent, and the document has told nothing. */
    isUnheard: boolean;
    /** Some went into no field that dots can cover. */
    areUnknown: boolean;
  };
  /** Another document has come, and the browser may still show the picture of the one before. */
  isLeft: boolean;
  /** By the clock: what was drawn before these moments is only for the driver, or only for the owner too. */
  drawnBefore: { nobody: number; owner: number };
};

export function createPagePrivacy(): PagePrivacy {
  return {
    unmasked: new Set(['page', 'drawing']),
    secret: new Map(),
    written: new Map(),
    uncovered: new Set(),
    keys: { wereSent: false, isHeard: false, isUnheard: false, areUnknown: false },
    isLeft: false,
    drawnBefore: { nobody: 0, owner: 0 },
  };
}

/** From the least to the most that is withheld: the owner may see a page whose secret field has the focus. */
const strictness: (PrivateReason | undefined)[] = [
  undefined,
  'secret_field',
  'driven',
  'unknown_keys',
  'page_not_masked',
];
export const strictest = (...reasons: (PrivateReason | undefined)[]): PrivateReason | undefined =>
  strictness[Math.max(...reasons.map((reason) => strictness.indexOf(reason)))];

export const isLessStrict = (one: PrivateReason | undefined, other: PrivateReason | undefined): boolean =>
  strictness.indexOf(one) < strictness.indexOf(other);

/** The strictest reason that the page itself gives to hide it. */
export function reasonOfPage({ unmasked, keys, isLeft, uncovered, secret }: PagePrivacy): PrivateReason | undefined {
  if (unmasked.size > 0) return 'page_not_masked';
  if (keys.areUnknown || keys.isUnheard) return 'unknown_keys';
  if (uncovered.size > 0 || isLeft) return 'driven';
  return [...secret.values()].includes('touch') ? 'secret_field' : undefined;
}

/** Forgets the documents whose key has this prefix. */
export function forgetDocuments({ secret, written, uncovered }: PagePrivacy, prefix: string): void {
  for (const keys of [secret, written, uncovered])
    for (const key of keys.keys()) if (key.startsWith(prefix)) keys.delete(key);
}
