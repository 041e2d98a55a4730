// Settings of a process, from the environment and flags.

import { z } from 'zod';
import { readSecretFile, secretSettings } from './secrets.ts';

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
 * `NAME=` in a file means to people. A secret may come by a file that `NAME_FILE` names instead. Values never appear in
 * the message: some are secret.
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
    else given[key] = read.value;
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
