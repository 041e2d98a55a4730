// The settings of the browser host, read from the environment.

import { randomUUID } from 'node:crypto';
import { type HostKey, hostUser, newHostKey } from '@pilothouse/bus';
import {
  busOf,
  busSettings,
  flag,
  logLevel,
  port,
  readSettings,
  SettingsError,
  tracingOf,
  tracingSettings,
  wholeNumber,
} from '@pilothouse/process';
import { z } from 'zod';
import { limitsOf } from './limits/limits.ts';

const portList = z
  .string()
  .transform((list) => list.split(',').filter((item) => item.trim() !== ''))
  .pipe(z.array(port));

const settings = z
  .object({
    HOST_ID: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,63}$/)
      .optional(),
    HOST_CAPACITY: wholeNumber(1, 1000).default(8),
    HOST_WARM: wholeNumber(0, 50).default(1),
    HOST_KEEP_SECS: wholeNumber(0, 86_400).default(900),
    HOST_DRAIN_SECS: wholeNumber(0, 86_400).default(20),
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
    ...busSettings,
    NATS_PASSWORD: busSettings.NATS_PASSWORD.optional(),
    HOST_JOIN_SECRET: z.string().min(1).optional(),
    OPS_HOST: z.string().default('127.0.0.1'),
    OPS_PORT: port.default(4003),
    ...tracingSettings,
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
  const { hostId, ...signsIn } = identityOf(values);
  return {
    hostId,
    /** New at every start, so that agents do not take this process for the one before it. */
    bootId: randomUUID(),
    capacity: values.HOST_CAPACITY,
    warm: values.HOST_WARM,
    keepMs: values.HOST_KEEP_SECS * 1000,
    drainMs: values.HOST_DRAIN_SECS * 1000,
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
    bus: { servers: values.NATS_URL, user: hostUser(hostId), name: hostId, ...withPasswordOf(signsIn, env) },
    /** Whether it has an id for this one run, which agents let in. */
    isJoining: 'prove' in signsIn,
    ops: { host: values.OPS_HOST, port: values.OPS_PORT },
    tracing: tracingOf(values),
    logLevel: values.LOG_LEVEL,
  };
}

/** A password in a file may be replaced while the host runs. */
function withPasswordOf<Key extends object>(signsIn: { password: string } | Key, env: NodeJS.ProcessEnv) {
  if (!('password' in signsIn)) return signsIn;
  const { password } = busOf({ NATS_URL: [], NATS_PASSWORD: signsIn.password }, env);
  return { password };
}

/** A user that the bus has by name, or a key that this process makes for itself. */
function identityOf(
  values: z.output<typeof settings>,
): { hostId: string } & ({ password: string } | Omit<HostKey, 'hostId'>) {
  const { HOST_ID: hostId, NATS_PASSWORD: password, HOST_JOIN_SECRET: joinSecret } = values;
  if (joinSecret === undefined) {
    if (hostId !== undefined && password !== undefined) return { hostId, password };
    const missing = Object.entries({ HOST_ID: hostId, NATS_PASSWORD: password }).filter(
      ([, value]) => value === undefined,
    );
    throw new SettingsError(missing.map(([key]) => `${key}: is required, or HOST_JOIN_SECRET`));
  }
  if (hostId !== undefined || password !== undefined)
    throw new SettingsError(['HOST_JOIN_SECRET: goes with neither HOST_ID nor NATS_PASSWORD']);
  try {
    return newHostKey(joinSecret);
  } catch {
    throw new SettingsError(['HOST_JOIN_SECRET: must be the seed of a key, which begins with SU']);
  }
}
