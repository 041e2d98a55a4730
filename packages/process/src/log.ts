import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Names under which a secret might be handed to the log, at the top or one level down. */
const secretNames = [
  'authorization',
  'cookie',
  'password',
  'current_password',
  'new_password',
  'access_token',
  'refresh_token',
  'resume_token',
  'share_token',
  'token',
  '["x-share-token"]',
];
const paths = secretNames.flatMap((name) => (name.startsWith('[') ? [name, `*${name}`] : [name, `*.${name}`]));

/** One JSON line a message, on standard output, with the process named in each and secrets struck out. */
export function createLog(name: string, level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: { process: name, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: '[redacted]' },
  };
  return destination ? pino(options, destination) : pino(options);
}
