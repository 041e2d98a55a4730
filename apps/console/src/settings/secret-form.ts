// What is written of a secret beside its value, and what the server says of each field. It never holds a value.

import { secretName } from '@pilothouse/contract/wire';
import { toSentence } from '../api/words.ts';
import { type Line, writtenIn } from './lines.ts';

type FieldFault = { pointer: string; message: string };
export type SecretFaults = {
  name?: string;
  value?: string;
  totp?: string;
  /** Of the whole list of origins. */
  origins?: string;
  /** By the key of the line. */
  lines: Record<number, string>;
};

/** The first line is there to be written into. */
export const linesOf = (origins: readonly string[]): Line[] =>
  (origins.length > 0 ? origins : ['']).map((text, key) => ({ key, text }));

export const nextKey = (lines: readonly Line[]): number => Math.max(-1, ...lines.map(({ key }) => key)) + 1;

/** Said before anything is sent: a name such as `..` would be an address of something else. */
export const faultOfName = (name: string): string | undefined =>
  secretName.test(name) ? undefined : 'Must be 1 to 64 letters, digits, dots, dashes or underscores.';

/** `lines`: those that were sent. */
export function faultsOf(lines: readonly Line[], errors: readonly FieldFault[]): SecretFaults {
  const faults: SecretFaults = { lines: {} };
  for (const { pointer, message } of errors) {
    const [, field, index] = /^\/(?:body|params)\/(name|value|totp|origins)(?:\/(\d+))?$/.exec(pointer) ?? [];
    const line = field === 'origins' && index !== undefined ? writtenIn(lines)[Number(index)] : undefined;
    if (line) faults.lines[line.key] = toSentence(message);
    else if (field === 'name' || field === 'value' || field === 'totp' || field === 'origins')
      faults[field] = toSentence(message);
  }
  return faults;
}

export const isAtField = ({ lines, ...fields }: SecretFaults): boolean =>
  Object.keys(lines).length + Object.keys(fields).length > 0;

/** How prompts and scripts name it. */
export const nameInTexts = (kind: 'secret' | 'totp', name: string): string => `{{${kind}:${name.trim() || 'name'}}}`;
