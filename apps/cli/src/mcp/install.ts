// Writes our entry into the settings file of an agent, and leaves everything else in it as it is. Never writes a key.

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CommandFailure } from '../connection/failure.ts';
import type { Target } from './targets.ts';

export type Entry = { command: string; args: string[]; env: Record<string, string> };

const ourName = 'pilothouse';

/** The whole file as it will be. */
export function withEntry(target: Target, before: string | undefined, entry: Entry): string {
  return target.format === 'toml' ? withTable(target, before ?? '', entry) : withField(target, before ?? '{}', entry);
}

/** What is added, as it is shown. */
export function entryText({ under, format, hasType }: Target, entry: Entry): string {
  if (format === 'toml') return tableOf(under, entry);
  return JSON.stringify({ [under]: { [ourName]: { ...(hasType && { type: 'stdio' }), ...entry } } }, null, 2);
}

function withField({ file, under, hasType }: Target, before: string, entry: Entry): string {
  const settings = read(file, before);
  const servers = settings[under] ?? {};
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers)) throw notOurs(file);
  const next = { ...settings, [under]: { ...servers, [ourName]: { ...(hasType && { type: 'stdio' }), ...entry } } };
  return `${JSON.stringify(next, null, 2)}\n`;
}

function withTable({ file, under }: Target, before: string, entry: Entry): string {
  if (new RegExp(`^\\s*\\[\\s*${under}\\s*\\.\\s*"?${ourName}"?\\s*[.\\]]`, 'm').test(before))
    throw new CommandFailure(`${file} has an entry "${ourName}" already`, {
      hint: 'Remove it first, or change it by hand.',
    });
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  return `${before}${gap}${tableOf(under, entry)}\n`;
}

/** Strings of JSON are strings of TOML. */
function tableOf(under: string, { command, args, env }: Entry): string {
  const text = JSON.stringify;
  const pairs = Object.entries(env).map(([name, value]) => `${name} = ${text(value)}`);
  return [
    `[${under}.${ourName}]`,
    `command = ${text(command)}`,
    `args = [${args.map((one) => text(one)).join(', ')}]`,
    `env = { ${pairs.join(', ')} }`,
  ].join('\n');
}

/**
 * In one move, so that an agent never reads half of it. A link stays one: the file that it names is written. Others can read it
 * only where they could before, since settings of agents hold secrets.
 */
export function writeSettings(named: string, text: string): void {
  const file = targetOfLinks(named);
  mkdirSync(dirname(file), { recursive: true });
  const mode = existsSync(file) ? statSync(file).mode & 0o777 : 0o600;
  const next = `${file}.${process.pid}`;
  try {
    writeFileSync(next, text, { mode: 0o600 });
    // What a new file gets depends on the umask.
    chmodSync(next, mode);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}

/** The file itself, also where a link names one that is not there yet. */
function targetOfLinks(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? targetOfLinks(resolve(dirname(file), readlinkSync(file))) : file;
}

export const readSettings = (file: string): string | undefined =>
  existsSync(file) ? readFileSync(file, 'utf8') : undefined;

function read(file: string, text: string): Record<string, unknown> {
  try {
    const settings: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return { ...settings };
  } catch {
    // Comments are allowed in some of these files, and would get lost.
  }
  throw notOurs(file);
}

const notOurs = (file: string) =>
  new CommandFailure(`${file} is not plain JSON, so it is not changed`, {
    hint: 'Add the entry by hand: see --print.',
  });
