// What a person left in the browser after a takeover, as it may be stored.

import { storableText } from '@pilothouse/store';
import type { HostLook } from './host-client.ts';

/** The address of the page in front, and the names of the fields that the last person who drove wrote into. */
export function leftByPerson({ picture, written }: HostLook): { url: string | null; written: string[] } {
  const { url } = picture.route;
  return { url: url && storableText(url), written: written.map(storableText) };
}
