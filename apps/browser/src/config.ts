// The settings of the browser host, read from the environment.

import { randomUUID } from 'node:crypto';
import { addressOf, flag, logLevel, port, readSettings, wholeNumber } from '@pilothouse/process';
import { z } from 'zod';
import { limitsOf } from './limits/limits.ts';

const portList = z
  .string()
  .transform((list) => list.split(',').filter((item) => item.trim() !== ''))
  .pipe(z.array(port));

const settings = z
  .object({
    HOST_ID: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
    HOST_CAPACITY: wholeNumber(1, 1000).default(8),
    HOST_WARM: wholeNumber(0, 50).default(1),
    HOST_KEEP_SECS: wholeNumber(0, 86_400).default(900),
    // The program itself: Debian's /usr/bin/chromium-headless-shell is a script that stays between the host and Chromium,
    // so killing a browser that hangs would only kill the script.
    CHROMIUM_PATH: z.string().startsWith('/').default('/usr/lib/chromium/chromium-headless-shell'),
    CHROMIUM_FIRST_UID: wholeNumber(1000, 2_000_000_000).default(20_000),
    CHROMIUM_DANGEROUSLY_WITHOUT_SANDBOX: flag.default(false),
    CHROMIUM_WEBGL: flag.default(false),
    SESSION_MAX_MEMORY_MB: wholeNumber(256, 1_000_000).default(1536),
    SESSION_MAX_PROCESSES: wholeNumber(10, 10_000).default(100),
    SESSION_MAX_DISK_MB: wholeNumber(64, 1_000_000).default(2048),
    SESSION_MAX_PAGES: wholeNumber(1, 100).default(20),
    SESSION_MAX_CPU_PERCENT: wholeNumber(10, 100_000).default(80),
    SESSION_MAX_CPU_SECS: wholeNumber(5, 1_000_000).default(600),
    SESSION_MAX_MB_PER_SEC: wholeNumber(1, 100_000).default(16),
    // Sites on this machine that pages may reach, for development: in production they would be a hole in the guard.
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
  const values = readSettings(settings, env);
  return {
    hostId: values.HOST_ID,
    /** New at every start, so that agents do not take this process for the one before it. */
    bootId: randomUUID(),
    capacity: values.HOST_CAPACITY,
    warm: values.HOST_WARM,
    keepMs: values.HOST_KEEP_SECS * 1000,
    chromium: {
      path: values.CHROMIUM_PATH,
      hasSandbox: !values.CHROMIUM_DANGEROUSLY_WITHOUT_SANDBOX,
      hasWebgl: values.CHROMIUM_WEBGL,
      guard: {
        allowLoopbackPorts: new Set(values.GUARD_ALLOW_LOOPBACK_PORTS),
        limits: { bytesPerSec: values.SESSION_MAX_MB_PER_SEC * 1024 * 1024 },
      },
    },
    /** The browser of each session runs as a user of its own; only root can do that. */
    firstUid: process.getuid?.() === 0 ? values.CHROMIUM_FIRST_UID : undefined,
    limits: limitsOf({
      memoryMb: values.SESSION_MAX_MEMORY_MB,
      processes: values.SESSION_MAX_PROCESSES,
      diskMb: values.SESSION_MAX_DISK_MB,
      pages: values.SESSION_MAX_PAGES,
      cpuPercent: values.SESSION_MAX_CPU_PERCENT,
      cpuSecs: values.SESSION_MAX_CPU_SECS,
    }),
    bus: { url: values.NATS_URL, password: values.NATS_PASSWORD },
    ops: { host: values.OPS_HOST, port: values.OPS_PORT },
    logLevel: values.LOG_LEVEL,
  };
}
