// Secrets: values that are typed by their name. No shape of an answer has a value.

import { z } from 'zod';
import { secretName } from '../types/secret-name.ts';
import { text } from '../types/text.ts';
import { Timestamp } from '../types/time.ts';

export const secretLimits = { minChars: 4, valueBytes: 4096, totpChars: 256, origins: 20, count: 200 } as const;

/** As a caller sends it in the path. Any text passes: a name that no secret can have is not found. */
export const SecretName = z.string();

const loopback = /^(([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** An origin as a browser writes it, such as https://github.com: no path, no wildcard, no default port. */
function isExactOrigin(value: string): boolean {
  const url = URL.parse(value);
  if (!url || url.origin !== value || url.hostname.includes('*')) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));
}

const Origin = text(300, 1).refine(
  isExactOrigin,
  'must be an exact origin, such as https://example.com or https://example.com:8443; http only for this machine',
);

// Messages of issues never repeat what was sent: the value would be in the answer and in what clients log.
const hasFittingSize = (value: string) => new TextEncoder().encode(value).length <= secretLimits.valueBytes;
const isOneLine = (value: string) => !/\p{Cc}/u.test(value);
/** The part that is left of spaces is what pages show, and what is looked for in them. */
const isLongEnough = (value: string) => [...value.trim()].length >= secretLimits.minChars;

const SecretValue = z
  .string()
  .refine(isLongEnough, `must have at least ${secretLimits.minChars} characters: a shorter one cannot be redacted`)
  .refine(hasFittingSize, `must have at most ${secretLimits.valueBytes} bytes`)
  .refine(isOneLine, 'must be one line without control characters')
  .refine((value) => value.isWellFormed(), 'must be well-formed Unicode');

/** The key of one-time codes as sites show it: base32, in groups or not. */
const TotpKey = z
  .string()
  .max(secretLimits.totpChars)
  .refine(
    (value) => /^[A-Z2-7]{16,}=*$/i.test(value.replaceAll(/[\s-]/g, '')),
    'must be base32 of at least 16 letters',
  );

export const PutSecretRequest = z
  .object({
    value: SecretValue,
    origins: z
      .array(Origin)
      .min(1)
      .max(secretLimits.origins)
      .refine((all) => new Set(all).size === all.length, 'must be different from each other'),
    /** For one-time codes (RFC 6238: 30 seconds, 6 digits, SHA-1). Without it a former one is removed. */
    totp: TotpKey.optional(),
  })
  .meta({ id: 'PutSecretRequest' });
export type PutSecretRequest = z.output<typeof PutSecretRequest>;

/** What may be read of a secret: never its value. */
export const Secret = z
  .object({
    name: z.string().regex(secretName),
    origins: z.array(z.string()),
    has_totp: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
    last_used_at: Timestamp.nullable(),
  })
  .meta({ id: 'Secret' });
export type Secret = z.output<typeof Secret>;
