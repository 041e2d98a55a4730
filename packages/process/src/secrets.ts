// Settings that no other process may see, and the other way for them to come: by a file or an open descriptor. The
// environment of a process stays readable for as long as it runs, in /proc, for every process of the same user.

import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** Each of them may come by a file that `NAME_FILE` names, and the log strikes them out. */
export const secretSettings: ReadonlySet<string> = new Set([
  'DATABASE_URL',
  'NATS_PASSWORD',
  'HOST_JOIN_SECRET',
  'HOST_JOIN_KEYS',
  'HOST_JOIN_SIGNING_KEY',
  'PROFILE_KEY',
  'EVIDENCE_KEY',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_API_KEY',
  'MODEL_API_KEYS',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
]);

/** Their files may be empty, which is as if they were not named: an installation has one for each vendor of models. */
export const mayBeEmpty: ReadonlySet<string> = new Set([
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'GOOGLE_API_KEY',
  'MODEL_API_KEYS',
]);

const maxBytes = 64 * 1024;

/** The open descriptor that a path names. */
export const descriptorIn = (path: string): string | undefined => /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path)?.[1];

/**
 * What the file holds, without the end of its last line. A descriptor that was handed to us (`/dev/fd/3`) is read to
 * its end and closed, so that the secret is on no disk and cannot be read again.
 */
export function readSecretFile(path: string): { value: string } | { problem: string } {
  try {
    const handed = descriptorIn(path);
    // Not by its name: a process that hides its memory may not open that.
    const descriptor = handed === undefined ? openSync(path, 'r') : Number(handed);
    try {
      const found = fstatSync(descriptor);
      if (found.isFile() && found.mode & 0o007)
        process.emitWarning(`${path} holds a secret and can be read by every user of this machine`);
      const value = readFileSync(descriptor, 'utf8').replace(/\r?\n$/, '');
      return value.length > maxBytes ? { problem: 'is too large for a secret' } : { value };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}
