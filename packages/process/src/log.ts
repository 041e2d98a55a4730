import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Names under which a secret might be handed to the log, at the top or up to two levels down. */
const secretNames = [
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
  'DATABASE_URL',
  'NATS_PASSWORD',
];
const paths = secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

const maxCauses = 5;

/**
 * What we say of an error: named fields only. Libraries hang more on theirs, such as the rows and parameters of the
 * statement that failed.
 */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  const isDeeper = cause !== undefined && depth < maxCauses;
  return { type: name, message, code, stack, cause: isDeeper ? describeError(cause, depth + 1) : undefined };
}

/** One JSON line a message, on standard output, with the process named in each and secrets struck out. */
export function createLog(name: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { process: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: (error: unknown) => describeError(error) },
    redact: { paths, censor: '[redacted]' },
  };
  return destination ? pino(options, destination) : pino(options);
}
