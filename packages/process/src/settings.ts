import { z } from 'zod';

/** Every key that is missing or wrong, in one message: nobody should have to start a process five times to learn five. */
export class SettingsError extends Error {
  constructor(problems: string[]) {
    super(['These settings are missing or wrong:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'SettingsError';
  }
}

/**
 * Reads settings from the environment, flags first. An empty variable counts as not set, because that is what
 * `NAME=` in a file means to people. Values never appear in the message: some are secret.
 */
export function readSettings<Schema extends z.ZodObject>(
  schema: Schema,
  env: Record<string, string | undefined>,
  flags: Record<string, string | undefined> = {},
): z.output<Schema> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((key) => [key, flags[key] ?? (env[key] === '' ? undefined : env[key])]),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new SettingsError(
    parsed.error.issues.map(({ path, message }) => {
      const key = String(path[0]);
      return `${key}: ${given[key] === undefined ? 'is required' : message}`;
    }),
  );
}

/** Shapes of settings that more than one process has. */
export const port = z.coerce.number<string>().int().min(0).max(65_535);
export const wholeNumber = (min: number, max: number) => z.coerce.number<string>().int().min(min).max(max);
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const addressOf = (...schemes: string[]) =>
  z.string().refine((value) => URL.canParse(value) && schemes.includes(new URL(value).protocol), {
    message: `must be an address that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  });
/** Keys of 32 bytes in base64, with commas between. */
export const keys = z.string().transform((value, context) =>
  value.split(',').map((one) => {
    const key = Buffer.from(one.trim(), 'base64');
    // Buffer skips what is no base64: only what it would have written itself counts.
    if (key.length !== 32 || key.toString('base64') !== one.trim())
      context.issues.push({ code: 'custom', message: 'must be 32 bytes in base64', input: undefined });
    return key;
  }),
);
export const logLevel = z.enum(['debug', 'info', 'warn', 'error', 'silent']);
