// Settings of a process, from the environment and flags.

import { z } from 'zod';
import { descriptorIn, mayBeEmpty, readSecretFile, secretSettings } from './secrets.ts';

/**
 * Every key that is missing or wrong, in one message: an operator should not have to start a process five times to learn of five.
 */
export class SettingsError extends Error {
  constructor(problems: string[]) {
    super(['These settings are missing or wrong:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'SettingsError';
  }
}

/**
 * Reads settings from the environment, flags first. An empty variable counts as not set, because that is what
 * `NAME=` in a file means to people. A secret may come by a file that `NAME_FILE` names instead. An empty one
 * counts as not set where that is harmless, and is a mistake elsewhere: without its key a process would store in plain text. Values never appear in the message: some are secret.
 */
export function readSettings<Schema extends z.ZodObject>(
  schema: Schema,
  env: Record<string, string | undefined>,
  flags: Record<string, string | undefined> = {},
): z.output<Schema> {
  const problems: string[] = [];
  const given: Record<string, string | undefined> = {};
  for (const key of Object.keys(schema.shape)) {
    const file = secretSettings.has(key) ? env[`${key}_FILE`] || undefined : undefined;
    given[key] = flags[key] ?? (env[key] || undefined);
    if (file === undefined) continue;
    if (given[key] !== undefined) problems.push(`${key}: is set twice, also by ${key}_FILE`);
    const read = readSecretFile(file);
    if ('problem' in read) problems.push(`${key}_FILE: ${read.problem}`);
    else if (read.value === '' && !mayBeEmpty.has(key)) problems.push(`${key}_FILE: is empty`);
    else given[key] = read.value || undefined;
  }
  const parsed = schema.safeParse(given);
  if (parsed.success && problems.length === 0) return parsed.data;
  const unread = new Set(problems.map((problem) => problem.split('_FILE:')[0]));
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !unread.has(String(path[0])));
  throw new SettingsError([
    ...problems,
    ...issues.map(({ path, message }) => {
      const key = String(path[0]);
      return `${key}: ${given[key] === undefined ? 'is required' : message}`;
    }),
  ]);
}

/** Schemas of settings that several processes have. */
export const port = z.coerce.number<string>().int().min(0).max(65_535);
export const wholeNumber = (min: number, max: number) => z.coerce.number<string>().int().min(min).max(max);
/** An amount of money, with or without cents. */
export const amount = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}(\.\d{1,6})?$/, { message: 'must be an amount such as 5 or 0.5' })
    .transform(Number)
    .pipe(z.number().max(max));
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const addressOf = (...schemes: string[]) =>
  z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    message: `must be an address that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  });
/** Keys of 32 bytes in base64, separated by commas. */
export const keys = z.string().transform((value, context) =>
  value.split(',').map((one) => {
    const key = Buffer.from(one.trim(), 'base64');
    // Buffer skips characters that are not base64: only text that it would write itself is accepted.
    if (key.length !== 32 || key.toString('base64') !== one.trim())
      context.issues.push({ code: 'custom', message: 'must be 32 bytes in base64', input: undefined });
    return key;
  }),
);
/** Names of hosts, separated by commas. */
export const hostList = z.string().transform((value, context) =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .map((name) => {
      if (!/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(name) || !URL.canParse(`http://${name}/`))
        context.issues.push({
          code: 'custom',
          message: 'must be names of hosts, separated by commas',
          input: undefined,
        });
      return name;
    }),
);
/** The modes that an installation can demand of every task. */
export const policyMode = z.enum(['standard', 'careful', 'watch']);
type PolicySettings = Record<'POLICY_ALLOW' | 'POLICY_DENY' | 'POLICY_READ_ONLY' | 'POLICY_WATCH', string[]> & {
  POLICY_MODE: z.output<typeof policyMode>;
};
/** What an installation demands of every task: the same settings for servers and agents. */
export const policyOf = (given: PolicySettings) => ({
  mode: given.POLICY_MODE,
  allow: given.POLICY_ALLOW,
  deny: given.POLICY_DENY,
  read_only: given.POLICY_READ_ONLY,
  watch: given.POLICY_WATCH,
});
export const logLevel = z.enum(['debug', 'info', 'warn', 'error', 'silent']);

// Where pictures and files lie: the same settings for servers, agents and commands.

const noSpace = z.string().regex(/^[\x21-\x7e]{1,512}$/, { message: 'must be one line without spaces' });

/** How a server of S3 is reached, whichever bucket it is. */
const serverSettings = {
  S3_ENDPOINT: addressOf('https:', 'http:').optional(),
  S3_REGION: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, { message: 'must be the name of a region such as eu-central-1' })
    .default('us-east-1'),
  S3_PATH_STYLE: flag.optional(),
  S3_ACCESS_KEY_ID: noSpace.optional(),
  S3_SECRET_ACCESS_KEY: noSpace.optional(),
};

export const blobSettings = {
  BLOB_DIR: z.string().min(1).optional(),
  BLOBS: z
    .string()
    .refine((value) => bucketOf(value) !== undefined, { message: 'must be s3://BUCKET or s3://BUCKET/PREFIX' })
    .optional(),
  ...serverSettings,
};

type ServerGiven = z.output<z.ZodObject<typeof serverSettings>>;
type Given = z.output<z.ZodObject<typeof blobSettings>>;

/** BLOBS wins: images have a BLOB_DIR of their own. */
export function blobPlaceOf(given: Given) {
  if (given.BLOBS !== undefined) return placeNamed(given.BLOBS, given);
  if (given.BLOB_DIR === undefined) throw new SettingsError(['BLOB_DIR: is required, or BLOBS']);
  return { dir: given.BLOB_DIR };
}

/** A folder by its whole path, or a bucket. Throws if the text is neither. */
export function placeNamed(text: string, given: ServerGiven) {
  const named = bucketOf(text);
  if (!named && !text.startsWith('/'))
    throw new SettingsError([`${text}: is neither a folder that begins with / nor s3://BUCKET/PREFIX`]);
  if (!named) return { dir: text };
  return { bucket: { ...named, ...serverOf(given) } };
}

function serverOf(given: ServerGiven) {
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = given;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new SettingsError(['S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY: one is set without the other']);
  return {
    region: given.S3_REGION,
    // Servers of one's own seldom have a name for each bucket.
    isPathStyle: given.S3_PATH_STYLE ?? endpoint !== undefined,
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
  };
}

function bucketOf(text: string): { bucket: string; prefix: string } | undefined {
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*)\/?$/.exec(text);
  return found?.[1] === undefined ? undefined : { bucket: found[1], prefix: found[2]?.slice(1) ?? '' };
}

/** What the bucket refuses is the operator's to change, as a wrong setting is. One that is away may be back at the next start. */
export async function openOrRefuse<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof Error && error.name === 'BucketRefused') throw new SettingsError([`BLOBS: ${error.message}`]);
    throw error;
  }
}

const busAddress = addressOf('nats:', 'tls:');

/** Where the bus is, and the password of this process there, which may be replaced while it runs. */
export const busSettings = {
  /** The addresses of the nodes, with commas between. */
  NATS_URL: z.string().transform((value, context) => {
    const nodes = value.split(',').map((one) => one.trim());
    const schemes = new Set(nodes.map((one) => one.split(':', 1)[0]));
    const wrong = nodes.map((one) => busAddress.safeParse(one)).find(({ success }) => !success);
    if (wrong) context.issues.push({ code: 'custom', message: wrong.error?.issues[0]?.message, input: undefined });
    // Half of it in plain text would be all of it in plain text, for whoever can cut a node off.
    else if (schemes.size > 1)
      context.issues.push({ code: 'custom', message: 'must be tls:// for all nodes or for none', input: undefined });
    return nodes;
  }),
  /** One, or the new and the former while it is replaced. */
  NATS_PASSWORD: z.string().min(1),
};

type GivenBus = { NATS_URL: string[]; NATS_PASSWORD: string };

/** A password in a file is read again before each connection; by another way it stays what it was at the start. */
export function busOf(given: GivenBus, env: Record<string, string | undefined>) {
  const file = env.NATS_PASSWORD_FILE;
  let last = given.NATS_PASSWORD;
  const password = () => {
    // An open descriptor was read to its end.
    if (!file || descriptorIn(file) !== undefined) return last;
    const read = readSecretFile(file);
    // A file that is just being replaced may be missing or empty.
    if ('value' in read && read.value) last = read.value;
    return last;
  };
  return { servers: given.NATS_URL, password };
}

// Where traces go: the same settings for every process. Names of OpenTelemetry where it has one.

/** `name=value`, separated by commas, percent-encoded where need be: as OpenTelemetry has it. */
const headerList = z.string().transform((value, context) => {
  const pairs = value.split(',').map((pair) => /^\s*([\w-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(pair));
  const message = 'must be name=value, separated by commas';
  try {
    return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? fail(), decodeURIComponent(pair?.[2] ?? '')]));
  } catch {
    context.issues.push({ code: 'custom', message, input: undefined });
    return z.NEVER;
  }
});
const fail = (): never => {
  throw new Error('not a header');
};

export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: addressOf('http:', 'https:').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList.optional(),
  TRACE_RATIO: z.coerce.number<string>().min(0).max(1).default(1),
};

/** Undefined where no traces are wanted. */
export function tracingOf(given: z.output<z.ZodObject<typeof tracingSettings>>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {}, TRACE_RATIO: ratio } = given;
  if (endpoint === undefined) return undefined;
  return { url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers, ratio };
}
