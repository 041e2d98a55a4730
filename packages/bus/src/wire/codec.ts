// Encodes messages. Bytes from the bus are never trusted: they decode to a valid message, or throw a DecodeError.

import type { z } from 'zod';

export interface Codec<In, Out = In> {
  encode(message: In): Uint8Array;
  /** Throws DecodeError, and nothing else, on bytes that are not such a message. */
  decode(bytes: Uint8Array): Out;
}

export class DecodeError extends Error {
  override name = 'DecodeError';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** JSON checked by its schema on arrival. */
export function json<Schema extends z.ZodType>(schema: Schema): Codec<z.input<Schema>, z.output<Schema>> {
  return {
    encode: (message) => Buffer.from(JSON.stringify(message)),
    decode: (bytes) => checkJson(schema, bytes),
  };
}

export function checkJson<Schema extends z.ZodType>(schema: Schema, bytes: Uint8Array): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new DecodeError('not JSON', { cause });
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  // Paths and rules, not values: a reply may carry this text to a host.
  const places = checked.error.issues.slice(0, 5).map((issue) => `${issue.path.join('.') || '(root)'}: ${issue.code}`);
  throw new DecodeError(places.join(', ').slice(0, 500), { cause: checked.error });
}
