// The log of a process: one JSON line a message, secrets removed.

import { type DestinationStream, type Logger, pino } from 'pino';
import { secretSettings } from './secrets.ts';
import { traceLogFields } from './tracing/tracing.ts';

export type Log = Logger;

/** Fields that may hold a secret, at the top level or up to two levels down. */
const secretNames = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'pass',
  'password',
  'current_password',
  'new_password',
  'access_token',
  'refresh_token',
  'resume_token',
  'share_token',
  'key_token',
  'token',
  'x-share-token',
  'apiKey',
  'x-api-key',
  'x-goog-api-key',
  // Prompts, typed text and answers of people.
  'prompt',
  'plan',
  'steps',
  'text',
  'answer',
  'task_prompt',
  ...secretSettings,
]);
const deepest = 2;

/** Walks the present fields: patterns for every name at every level took about 0.1 ms a line. */
function strikeSecrets(given: object, depth = 0): Record<string, unknown> {
  const struck: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (secretNames.has(name)) struck[name] = '[redacted]';
    else if (depth < deepest && isPlain(value)) struck[name] = strikeSecrets(value, depth + 1);
    else struck[name] = value;
  }
  return struck;
}

/** Errors and other classes have serializers of their own. */
const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);

const maxCauses = 5;

/**
 * Only named fields of an error are logged. Libraries attach more to theirs, such as the parameters of the statement
 * that failed.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  const isDeeper = cause !== undefined && depth < maxCauses;
  return { type: name, message, code, stack, cause: isDeeper ? describeError(cause, depth + 1) : undefined };
}

/** While something is traced, each line names the span that it was written in. */
const lineOf = (given: object) => Object.assign(strikeSecrets(given), traceLogFields());

/** Writes to standard output, with the name of the process in each line. */
export function createLog(name: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { process: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: lineOf },
    serializers: { err: (error: unknown) => describeError(error) },
  };
  return destination ? pino(options, destination) : pino(options);
}
