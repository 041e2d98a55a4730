import { randomUUID } from 'node:crypto';
import { addressOf, logLevel, port, readSettings, wholeNumber } from '@pilothouse/process';
import { z } from 'zod';

const settings = z.object({
  HOST_ID: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  HOST_CAPACITY: wholeNumber(1, 1000).default(8),
  // The program itself: Debian's /usr/bin/chromium-headless-shell is a script that stays between us and Chromium, so
  // that what should end one that hangs would only end the script.
  CHROMIUM_PATH: z.string().startsWith('/').default('/usr/lib/chromium/chromium-headless-shell'),
  CHROMIUM_FIRST_UID: wholeNumber(1000, 2_000_000_000).default(20_000),
  NATS_URL: addressOf('nats:', 'tls:'),
  NATS_PASSWORD: z.string().min(1),
  OPS_HOST: z.string().default('127.0.0.1'),
  OPS_PORT: port.default(4003),
  LOG_LEVEL: logLevel.default('info'),
});

export function readConfig(env: NodeJS.ProcessEnv) {
  const given = readSettings(settings, env);
  return {
    hostId: given.HOST_ID,
    /** New at every start, so that nobody takes this process for the one before it. */
    bootId: randomUUID(),
    capacity: given.HOST_CAPACITY,
    chromium: {
      path: given.CHROMIUM_PATH,
      /** Each session's browser runs as a user of its own; only root can arrange that. */
      firstUid: process.getuid?.() === 0 ? given.CHROMIUM_FIRST_UID : undefined,
    },
    bus: { url: given.NATS_URL, password: given.NATS_PASSWORD },
    ops: { host: given.OPS_HOST, port: given.OPS_PORT },
    logLevel: given.LOG_LEVEL,
  };
}
