import { randomUUID } from 'node:crypto';
import { addressOf, logLevel, port, readSettings, wholeNumber } from '@pilothouse/process';
import { z } from 'zod';

const settings = z.object({
  HOST_ID: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  HOST_CAPACITY: wholeNumber(1, 1000).default(8),
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
    bus: { url: given.NATS_URL, password: given.NATS_PASSWORD },
    ops: { host: given.OPS_HOST, port: given.OPS_PORT },
    logLevel: given.LOG_LEVEL,
  };
}
