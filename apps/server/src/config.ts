// The settings of the server, from flags and the environment.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ExampleTask, Registration } from '@pilothouse/contract';
import { readSeed } from '@pilothouse/evidence';
import {
  addressOf,
  amount,
  blobPlaceOf,
  blobSettings,
  busOf,
  busSettings,
  flag,
  hostList,
  keys,
  logLevel,
  policyMode,
  policyOf,
  port,
  readSettings,
  SettingsError,
  tracingOf,
  tracingSettings,
  wholeNumber,
} from '@pilothouse/process';
import { z } from 'zod';
import { isLoopback } from './http/loopback.ts';

/** Keys that sign evidence, in PEM or as 32 bytes in base64, separated by commas. */
const evidenceSeeds = z.string().transform((value, context) =>
  value.split(',').map((one) => {
    const seed = readSeed(one);
    const message = 'must be Ed25519 keys, each in PEM (PKCS #8) or as 32 bytes in base64';
    if (!seed) context.issues.push({ code: 'custom', message, input: undefined });
    return seed ?? new Uint8Array();
  }),
);

/** At most as many as fit into a row of the console's first page. */
const exampleTasks = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text);
    } catch {
      context.issues.push({ code: 'custom', message: 'must be a list in JSON', input: undefined });
      return z.NEVER;
    }
  })
  .pipe(z.array(ExampleTask).max(6));

const settings = z.object({
  PORT: port.default(4000),
  HOST: z.string().default('127.0.0.1'),
  DISABLE_AUTH: flag.default(false),
  DISABLE_AUTH_ON_EVERY_ADDRESS: flag.default(false),
  REGISTRATION: Registration.default('open'),
  PASSWORD_MIN_LENGTH: wholeNumber(8, 64).default(8),
  ACCESS_TOKEN_SECS: wholeNumber(60, 3600).default(900),
  LOGIN_LIMIT_PER_IDENTIFIER: wholeNumber(1, 1_000_000).default(10),
  LOGIN_LIMIT_PER_ADDRESS: wholeNumber(1, 1_000_000).default(100),
  REGISTER_LIMIT_PER_ADDRESS: wholeNumber(1, 1_000_000).default(20),
  REFRESH_LIMIT_PER_FAMILY: wholeNumber(1, 1_000_000).default(30),
  REFRESH_LIMIT_PER_ADDRESS: wholeNumber(1, 1_000_000).default(120),
  QUOTA_OPEN_TASKS: wholeNumber(1, 1_000_000).default(20),
  QUOTA_OPEN_SESSIONS: wholeNumber(1, 1_000_000).default(50),
  QUOTA_PROFILES: wholeNumber(1, 1_000_000).default(50),
  QUOTA_FILE_MB_PER_USER: wholeNumber(1, 100_000_000).default(1024),
  QUOTA_STATE_MB_PER_USER: wholeNumber(1, 100_000_000).default(256),
  RECORDING_MAX_MB_PER_USER: wholeNumber(1, 100_000_000).default(2048),
  MODEL_TOKENS_PER_USER_DAY: wholeNumber(0, 1_000_000_000_000).default(0),
  MODEL_COST_PER_USER_DAY: amount(1_000_000).default(0),
  WRITE_LIMIT_PER_USER: wholeNumber(1, 100_000_000).default(600),
  INPUT_LIMIT_PER_USER: wholeNumber(1, 100_000_000).default(12_000),
  LOOK_LIMIT_PER_USER: wholeNumber(1, 100_000_000).default(3000),
  STREAMS_PER_USER: wholeNumber(1, 1_000_000).default(200),
  STREAMS_PER_ADDRESS: wholeNumber(1, 1_000_000).default(1000),
  UNSENT_MB_PER_USER: wholeNumber(8, 1_000_000).default(32),
  UNSENT_MB_PER_ADDRESS: wholeNumber(8, 1_000_000).default(64),
  ALLOWED_HOSTS: z.string().default(''),
  PROFILE_KEY: keys.default([]),
  EVIDENCE_KEY: evidenceSeeds.default([]),
  TRUSTED_PROXIES: z.string().default(''),
  DATABASE_URL: addressOf('postgresql:', 'postgres:'),
  DATABASE_POOL_SIZE: wholeNumber(1, 200).default(10),
  ...busSettings,
  NATS_USER: z
    .string()
    .regex(/^server-[A-Za-z0-9_-]{1,100}$/)
    .default('server-1'),
  ...blobSettings,
  CONSOLE_DIR: z
    .string()
    .min(1)
    .default(join(import.meta.dirname, '../../console/dist')),
  EXAMPLES: exampleTasks.default([]),
  POLICY_MODE: policyMode.default('standard'),
  POLICY_ALLOW: hostList.default([]),
  POLICY_DENY: hostList.default([]),
  POLICY_READ_ONLY: hostList.default([]),
  POLICY_WATCH: hostList.default([]),
  SERVER_DRAIN_SECS: wholeNumber(0, 600).default(0),
  OPS_HOST: z.string().default('127.0.0.1'),
  OPS_PORT: port.default(4001),
  ...tracingSettings,
  TRACE_CALLERS: z.enum(['ignore', 'link', 'parent']).default('ignore'),
  LOG_LEVEL: logLevel.default('info'),
});

/** Flags override the environment. Throws, and names every wrong setting. */
export function readConfig(args: string[], env: NodeJS.ProcessEnv) {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      'disable-auth': { type: 'boolean' },
      'disable-auth-on-every-address': { type: 'boolean' },
    },
  });
  const given = readSettings(settings, env, {
    PORT: values.port,
    HOST: values.host,
    DISABLE_AUTH: values['disable-auth'] ? 'true' : undefined,
    DISABLE_AUTH_ON_EVERY_ADDRESS: values['disable-auth-on-every-address'] ? 'true' : undefined,
  });
  if (given.DISABLE_AUTH && !given.DISABLE_AUTH_ON_EVERY_ADDRESS && !isLoopback(given.HOST)) {
    throw new SettingsError([
      `HOST: ${given.HOST} is reachable from outside, and authentication is disabled: anyone could use the browsers. ` +
        'Listen on 127.0.0.1, or add --disable-auth-on-every-address if that is what you mean',
    ]);
  }
  return {
    policy: policyOf(given),
    port: given.PORT,
    host: given.HOST,
    isAuthDisabled: given.DISABLE_AUTH,
    auth: {
      registration: given.REGISTRATION,
      minPasswordLength: given.PASSWORD_MIN_LENGTH,
      accessSecs: given.ACCESS_TOKEN_SECS,
      refreshIdleSecs: 14 * daySecs,
      limits: {
        loginPerIdentifier: given.LOGIN_LIMIT_PER_IDENTIFIER,
        loginPerAddress: given.LOGIN_LIMIT_PER_ADDRESS,
        registerPerAddress: given.REGISTER_LIMIT_PER_ADDRESS,
        refreshPerFamily: given.REFRESH_LIMIT_PER_FAMILY,
        refreshPerAddress: given.REFRESH_LIMIT_PER_ADDRESS,
      },
      trustedProxies: listOf(given.TRUSTED_PROXIES),
    },
    quotas: {
      tasks: given.QUOTA_OPEN_TASKS,
      sessions: given.QUOTA_OPEN_SESSIONS,
      profiles: given.QUOTA_PROFILES,
      fileBytes: given.QUOTA_FILE_MB_PER_USER * megabyte,
      stateBytes: given.QUOTA_STATE_MB_PER_USER * megabyte,
      pictureBytes: given.RECORDING_MAX_MB_PER_USER * megabyte,
    },
    modelLimits: {
      tokens: given.MODEL_TOKENS_PER_USER_DAY,
      costMicros: Math.round(given.MODEL_COST_PER_USER_DAY * 1_000_000),
    },
    callLimits: {
      write: given.WRITE_LIMIT_PER_USER,
      input: given.INPUT_LIMIT_PER_USER,
      look: given.LOOK_LIMIT_PER_USER,
    },
    streams: { perUser: given.STREAMS_PER_USER, perAddress: given.STREAMS_PER_ADDRESS },
    unsent: {
      perUserBytes: given.UNSENT_MB_PER_USER * megabyte,
      perAddressBytes: given.UNSENT_MB_PER_ADDRESS * megabyte,
    },
    allowedHosts: listOf(given.ALLOWED_HOSTS),
    profileKeys: given.PROFILE_KEY,
    evidenceSeeds: given.EVIDENCE_KEY,
    isOpenToAll: given.DISABLE_AUTH_ON_EVERY_ADDRESS,
    database: { url: given.DATABASE_URL, poolSize: given.DATABASE_POOL_SIZE },
    bus: { ...busOf(given, env), user: given.NATS_USER },
    blobs: blobPlaceOf(given),
    consoleDir: given.CONSOLE_DIR,
    examples: given.EXAMPLES,
    drainMs: given.SERVER_DRAIN_SECS * 1000,
    ops: { host: given.OPS_HOST, port: given.OPS_PORT },
    tracing: tracingOf(given),
    callerTraces: given.TRACE_CALLERS,
    logLevel: given.LOG_LEVEL,
  };
}

const daySecs = 86_400;
const megabyte = 1024 * 1024;
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
