import { randomUUID } from 'node:crypto';
import { addressOf, flag, logLevel, port, readSettings, wholeNumber } from '@pilothouse/process';
import { z } from 'zod';
import { limitsOf } from './walls/limits.ts';

const portList = z
  .string()
  .transform((list) => list.split(',').filter((one) => one.trim() !== ''))
  .pipe(z.array(port));

const settings = z
  .object({
    HOST_ID: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
    HOST_CAPACITY: wholeNumber(1, 1000).default(8),
    HOST_WARM: wholeNumber(0, 50).default(1),
    // The program itself: Debian's /usr/bin/chromium-headless-shell is a script that stays between us and Chromium, so
    // that what should end one that hangs would only end the script.
    CHROMIUM_PATH: z.string().startsWith('/').default('/usr/lib/chromium/chromium-headless-shell'),
    CHROMIUM_FIRST_UID: wholeNumber(1000, 2_000_000_000).default(20_000),
    CHROMIUM_DANGEROUSLY_WITHOUT_SANDBOX: flag.default(false),
    SESSION_MAX_MEMORY_MB: wholeNumber(256, 1_000_000).default(1536),
    SESSION_MAX_PROCESSES: wholeNumber(10, 10_000).default(100),
    SESSION_MAX_DISK_MB: wholeNumber(64, 1_000_000).default(2048),
    SESSION_MAX_PAGES: wholeNumber(1, 100).default(20),
    SESSION_MAX_CPU_PERCENT: wholeNumber(10, 100_000).default(80),
    SESSION_MAX_CPU_SECS: wholeNumber(5, 1_000_000).default(600),
    SESSION_MAX_MB_PER_SEC: wholeNumber(1, 100_000).default(16),
    // Sites on this machine that pages may reach, for trying things out: elsewhere they would be a hole in the guard.
    GUARD_ALLOW_LOOPBACK_PORTS: portList.default([]),
    NODE_ENV: z.string().optional(),
    NATS_URL: addressOf('nats:', 'tls:'),
    NATS_PASSWORD: z.string().min(1),
    OPS_HOST: z.string().default('127.0.0.1'),
    OPS_PORT: port.default(4003),
    LOG_LEVEL: logLevel.default('info'),
  })
  .refine(
    ({ NODE_ENV, GUARD_ALLOW_LOOPBACK_PORTS }) => NODE_ENV !== 'production' || GUARD_ALLOW_LOOPBACK_PORTS.length === 0,
    {
      path: ['GUARD_ALLOW_LOOPBACK_PORTS'],
      error: 'is not for production: pages would reach this machine',
    },
  );

export function readConfig(env: NodeJS.ProcessEnv) {
  const given = readSettings(settings, env);
  return {
    hostId: given.HOST_ID,
    /** New at every start, so that nobody takes this process for the one before it. */
    bootId: randomUUID(),
    capacity: given.HOST_CAPACITY,
    warm: given.HOST_WARM,
    chromium: {
      path: given.CHROMIUM_PATH,
      hasSandbox: !given.CHROMIUM_DANGEROUSLY_WITHOUT_SANDBOX,
      guard: {
        allowLoopbackPorts: new Set(given.GUARD_ALLOW_LOOPBACK_PORTS),
        limits: { bytesPerSec: given.SESSION_MAX_MB_PER_SEC * 1024 * 1024 },
      },
    },
    /** Each session's browser runs as a user of its own; only root can arrange that. */
    firstUid: process.getuid?.() === 0 ? given.CHROMIUM_FIRST_UID : undefined,
    limits: limitsOf({
      memoryMb: given.SESSION_MAX_MEMORY_MB,
      processes: given.SESSION_MAX_PROCESSES,
      diskMb: given.SESSION_MAX_DISK_MB,
      pages: given.SESSION_MAX_PAGES,
      cpuPercent: given.SESSION_MAX_CPU_PERCENT,
      cpuSecs: given.SESSION_MAX_CPU_SECS,
    }),
    bus: { url: given.NATS_URL, password: given.NATS_PASSWORD },
    ops: { host: given.OPS_HOST, port: given.OPS_PORT },
    logLevel: given.LOG_LEVEL,
  };
}
