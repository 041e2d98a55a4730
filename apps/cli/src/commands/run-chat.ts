// The chat that `run` sends, out of its argument and options.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { giveFile, type runTask } from '@pilothouse/sdk';
import { CommandFailure } from '../connection/failure.ts';
import { type Context, flag, number, text, texts } from './context.ts';
import { readInput } from './read-input.ts';

type Chat = Parameters<typeof runTask>[1];

/** The server takes no longer prompt. */
const mostChars = 1_000_000;

export async function chatOf(context: Context): Promise<Chat> {
  const { values, args } = context;
  const mode = text(values, 'mode') as 'careful' | undefined;
  return {
    prompt: await promptOf(context, args[0] ?? ''),
    session_id: text(values, 'session'),
    profile_label: text(values, 'profile'),
    planner: text(values, 'planner') as 'script' | undefined,
    model: text(values, 'model'),
    confirm: flag(values, 'confirm-plan') ? 'plan' : undefined,
    policy: mode && { mode },
    allowed_domains: texts(values, 'domain'),
    max_steps: number(values, 'max-steps'),
    max_cost: number(values, 'max-cost'),
    time_limit_secs: number(values, 'time-limit'),
    files: texts(values, 'file')?.map((path) => giveFile(basename(path), readGiven(path))),
  };
}

async function promptOf({ stdin }: Context, given: string): Promise<string> {
  const prompt =
    given === '-' ? await readInput(stdin, mostChars) : isFile(given) ? readFileSync(given, 'utf8') : given;
  if (prompt.trim() === '') throw new CommandFailure('the prompt is empty', { exit: 'usage' });
  // A name that looks like one of a file and is none would be given to a model as words.
  if (prompt === given && /^\S+\.(txt|script|md)$/.test(given))
    throw new CommandFailure(`there is no file ${given}`, { exit: 'usage' });
  return prompt;
}

/** A long prompt is no name, and the system would refuse to look for it. */
const isFile = (given: string): boolean =>
  given.length < 1024 && !given.includes('\n') && existsSync(given) && statSync(given).isFile();

function readGiven(path: string): Uint8Array {
  if (!existsSync(path)) throw new CommandFailure(`there is no file ${path}`, { exit: 'usage' });
  return readFileSync(path);
}
