// Settings of the agent, from the environment.

import { randomUUID } from 'node:crypto';
import { publicKeyOf } from '@pilothouse/bus';
import {
  addressOf,
  amount,
  blobPlaceOf,
  blobSettings,
  busOf,
  busSettings,
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
import { keyList, modelList, priceList, readModels, vendorAddress } from './model/settings.ts';

const apiKey = z.string().regex(/^[\x21-\x7e]+$/, { message: 'must be one line without spaces' });

/** Keys of NATS, which tells their kinds by their first letters. */
const joinKeyList = z.string().transform((value, context) =>
  value.split(',').map((one) => {
    const message = 'must be public keys that begin with U, separated by commas';
    if (!/^U[A-Z2-7]{55}$/.test(one.trim())) context.issues.push({ code: 'custom', message, input: undefined });
    return one.trim();
  }),
);
const signingSeed = z.string().refine(isSigningSeed, { message: 'must be the seed of a key, which begins with SA' });

function isSigningSeed(value: string): boolean {
  try {
    return publicKeyOf(value).startsWith('A');
  } catch {
    return false;
  }
}

const settings = z.object({
  DATABASE_URL: addressOf('postgresql:', 'postgres:'),
  DATABASE_POOL_SIZE: wholeNumber(1, 200).default(10),
  ...busSettings,
  NATS_USER: z
    .string()
    .regex(/^agent-[A-Za-z0-9_-]{1,100}$/)
    .default('agent-1'),
  ...blobSettings,
  PROFILE_KEY: keys.default([]),
  AGENT_POLL_MS: wholeNumber(10, 60_000).default(1000),
  AGENT_MAX_RUNS: wholeNumber(1, 10_000).default(200),
  AGENT_LEASE_SECS: wholeNumber(1, 300).default(10),
  HOST_LEASE_SECS: wholeNumber(5, 300).default(10),
  HOST_MAX_SESSIONS: wholeNumber(0, 10_000).default(8),
  HOST_JOIN_KEYS: joinKeyList.default([]),
  HOST_JOIN_SIGNING_KEY: signingSeed.optional(),
  HOST_JOIN_MAX: wholeNumber(1, 1000).default(16),
  HOST_JOIN_PER_ADDRESS: wholeNumber(1, 1000).default(1),
  BROWSER_IDLE_SECS: wholeNumber(1, 86_400).default(900),
  QUESTION_PARK_SECS: wholeNumber(1, 86_400).default(900),
  QUESTION_EXPIRE_SECS: wholeNumber(1, 2_592_000).default(86_400),
  RECORDING_KEEP_DAYS: wholeNumber(1, 36_500).default(30),
  RECORDING_MAX_MB_PER_USER: wholeNumber(1, 100_000_000).default(2048),
  FILES_KEEP_DAYS: wholeNumber(1, 36_500).default(30),
  QUOTA_FILE_MB_PER_USER: wholeNumber(1, 100_000_000).default(1024),
  EVENTS_KEEP_DAYS: wholeNumber(0, 36_500).default(90),
  LOGS_KEEP_DAYS: wholeNumber(0, 36_500).default(90),
  OBSERVATIONS_KEEP_DAYS: wholeNumber(0, 36_500).default(365),
  STEPS_KEEP_DAYS: wholeNumber(0, 36_500).default(365),
  TAKEOVERS_KEEP_DAYS: wholeNumber(0, 36_500).default(365),
  AUDIT_KEEP_DAYS: wholeNumber(0, 36_500).default(0),
  LOGINS_KEEP_DAYS: wholeNumber(1, 36_500).default(30),
  MODELS: modelList.default([]),
  MODEL_PRICES: priceList.default([]),
  MODEL_API_KEYS: keyList.default([]),
  MODEL_CONCURRENCY: wholeNumber(1, 10_000).default(32),
  MODEL_TIMEOUT_SECS: wholeNumber(1, 3600).default(120),
  JUDGE_MODEL: z.string().max(200).default(''),
  MODEL_TOKENS_PER_USER_DAY: wholeNumber(0, 1_000_000_000_000).default(0),
  MODEL_COST_PER_USER_DAY: amount(1_000_000).default(0),
  OPENAI_API_KEY: apiKey.optional(),
  OPENAI_BASE_URL: vendorAddress.optional(),
  ANTHROPIC_API_KEY: apiKey.optional(),
  ANTHROPIC_BASE_URL: vendorAddress.optional(),
  GOOGLE_API_KEY: apiKey.optional(),
  GOOGLE_BASE_URL: vendorAddress.optional(),
  POLICY_MODE: policyMode.default('standard'),
  POLICY_ALLOW: hostList.default([]),
  POLICY_DENY: hostList.default([]),
  POLICY_READ_ONLY: hostList.default([]),
  POLICY_WATCH: hostList.default([]),
  OPS_HOST: z.string().default('127.0.0.1'),
  OPS_PORT: port.default(4002),
  ...tracingSettings,
  LOG_LEVEL: logLevel.default('info'),
});

export function readConfig(env: NodeJS.ProcessEnv) {
  const given = readSettings(settings, env);
  const leaseSecs = Math.min(given.AGENT_LEASE_SECS, given.HOST_LEASE_SECS);
  return {
    /** New at every start, so that the work of a dead agent is never taken for that of this process. */
    agentId: randomUUID(),
    database: {
      url: given.DATABASE_URL,
      poolSize: given.DATABASE_POOL_SIZE,
      /** Well within the shortest lease: a sign of life that takes longer is written again. */
      vitalMs: Math.min(3000, (leaseSecs * 1000) / 2),
    },
    bus: { ...busOf(given, env), user: given.NATS_USER },
    blobs: blobPlaceOf(given),
    pollMs: given.AGENT_POLL_MS,
    maxRuns: given.AGENT_MAX_RUNS,
    leaseMs: given.AGENT_LEASE_SECS * 1000,
    hostLeaseMs: given.HOST_LEASE_SECS * 1000,
    hostMaxSessions: given.HOST_MAX_SESSIONS,
    joins: joinsOf(given),
    browserIdleMs: given.BROWSER_IDLE_SECS * 1000,
    questions: { parkMs: given.QUESTION_PARK_SECS * 1000, expireSecs: given.QUESTION_EXPIRE_SECS },
    recording: {
      keepDays: given.RECORDING_KEEP_DAYS,
      maxBytesPerUser: given.RECORDING_MAX_MB_PER_USER * 1024 * 1024,
    },
    files: {
      keepDays: given.FILES_KEEP_DAYS,
      maxBytesPerUser: given.QUOTA_FILE_MB_PER_USER * 1024 * 1024,
    },
    keepDays: {
      events: given.EVENTS_KEEP_DAYS,
      logs: given.LOGS_KEEP_DAYS,
      observations: given.OBSERVATIONS_KEEP_DAYS,
      steps: given.STEPS_KEEP_DAYS,
      takeovers: given.TAKEOVERS_KEEP_DAYS,
      audit: given.AUDIT_KEEP_DAYS,
      logins: given.LOGINS_KEEP_DAYS,
    },
    policy: policyOf(given),
    profileKeys: given.PROFILE_KEY,
    model: modelConfig(given),
    ops: { host: given.OPS_HOST, port: given.OPS_PORT },
    tracing: tracingOf(given),
    logLevel: given.LOG_LEVEL,
  };
}

/** Undefined: every host has a user of its own on the bus. */
function joinsOf(given: z.output<typeof settings>) {
  const { HOST_JOIN_KEYS: joinKeys, HOST_JOIN_SIGNING_KEY: signingSeed } = given;
  if (signingSeed === undefined && joinKeys.length === 0) return undefined;
  if (signingSeed === undefined) throw new SettingsError(['HOST_JOIN_SIGNING_KEY: is required with HOST_JOIN_KEYS']);
  return { joinKeys, signingSeed, most: given.HOST_JOIN_MAX, perAddress: given.HOST_JOIN_PER_ADDRESS };
}

function modelConfig(given: z.output<typeof settings>) {
  const { models, problems } = readModels({
    models: given.MODELS,
    prices: given.MODEL_PRICES,
    keys: given.MODEL_API_KEYS,
    vendors: {
      openai: { apiKey: given.OPENAI_API_KEY, baseUrl: given.OPENAI_BASE_URL },
      anthropic: { apiKey: given.ANTHROPIC_API_KEY, baseUrl: given.ANTHROPIC_BASE_URL },
      google: { apiKey: given.GOOGLE_API_KEY, baseUrl: given.GOOGLE_BASE_URL },
    },
  });
  const judge = given.JUDGE_MODEL.trim() || undefined;
  if (judge !== undefined && !models.some(({ name }) => name === judge))
    problems.push('JUDGE_MODEL: is not the name of a model in MODELS');
  if (problems.length > 0) throw new SettingsError(problems);
  return {
    models,
    judge,
    concurrency: given.MODEL_CONCURRENCY,
    timeoutMs: given.MODEL_TIMEOUT_SECS * 1000,
    perUserDay: {
      tokens: given.MODEL_TOKENS_PER_USER_DAY,
      costMicros: Math.round(given.MODEL_COST_PER_USER_DAY * 1_000_000),
    },
  };
}
