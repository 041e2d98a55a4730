// Finds the command in the words of a command line, and its arguments and options.

import { parseArgs } from 'node:util';
import { CommandFailure } from '../connection/failure.ts';
import { type Command, commonOptions, optionsOf, usageOf } from './command.ts';
import { type CommandName, commands } from './commands.ts';

export type Values = Record<string, string | boolean | string[] | undefined>;
export type ParsedCommand = { name: CommandName; command: Command; args: string[]; values: Values };

/** The longest name that the words begin with. */
export function findCommand(words: string[]): Command | undefined {
  const fitting = commands.filter(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  return fitting.toSorted((one, other) => other.name.length - one.name.length)[0];
}

/** Parts the options that every command takes, where they stand before the command, from the words after them. */
export function commonFirst(words: string[]): { common: string[]; rest: string[] } {
  const [first = ''] = words;
  const [flag] = first.split('=');
  const found = Object.entries(commonOptions).find(([name]) => flag === `--${name}` && name !== 'help');
  if (!found) return { common: [], rest: words };
  const taken = found[1].type === 'string' && first === flag ? 2 : 1;
  const { common, rest } = commonFirst(words.slice(taken));
  return { common: [...words.slice(0, taken), ...common], rest };
}

/** Throws `CommandFailure` with `usage` where the words make no sense. */
export function parseCommand(given: string[]): ParsedCommand {
  const { common, rest: words } = commonFirst(given);
  const command = findCommand(words);
  if (!command) throw unknownCommand(words[0] ?? '');
  const rest = [...common, ...words.slice(command.name.split(' ').length)];
  const options = optionsOf(command);
  const hint = `Usage: pilothouse ${usageOf(command)}; see pilothouse ${command.name} --help`;
  const wrong = (message: string) => new CommandFailure(message, { exit: 'usage', hint });
  const { values, positionals } = parsed(rest, options, wrong);
  for (const [name, { choices }] of Object.entries(options)) {
    const value = values[name];
    if (choices && typeof value === 'string' && !choices.includes(value))
      throw wrong(`--${name} is one of ${choices.join(', ')}`);
  }
  if (!values.help) checkArguments(command, positionals, wrong);
  // Found in the table of which the name is the type.
  return { name: command.name as CommandName, command, args: positionals, values };
}

function parsed(args: string[], options: ReturnType<typeof optionsOf>, wrong: (message: string) => CommandFailure) {
  const known = Object.entries(options).map(([name, { type, short, multiple }]) => [name, { type, short, multiple }]);
  // It takes no fields that are undefined.
  const plain = JSON.parse(JSON.stringify(Object.fromEntries(known)));
  try {
    const { values, positionals } = parseArgs({ args, options: plain, allowPositionals: true });
    return { values: values as Values, positionals };
  } catch (error) {
    const [first = ''] = error instanceof Error ? error.message.split('. ') : [String(error)];
    throw wrong(first);
  }
}

function checkArguments({ args }: Command, given: string[], wrong: (message: string) => CommandFailure): void {
  const missing = args.filter(({ isOptional }) => !isOptional)[given.length];
  if (missing) throw wrong(`${missing.name} is missing: ${missing.what}`);
  if (given.length > args.length) throw wrong(`"${given[args.length]}" is one word too many; put words into quotes`);
  for (const [index, { name, choices }] of args.entries())
    if (choices && given[index] !== undefined && !choices.includes(given[index]))
      throw wrong(`${name} is one of ${choices.join(', ')}`);
}

function unknownCommand(word: string): CommandFailure {
  const near = commands.map(({ name }) => name).filter((name) => name.startsWith(word.slice(0, 2)));
  const hint = `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}See pilothouse --help`;
  return new CommandFailure(`there is no command "${word}"`, { exit: 'usage', hint });
}
