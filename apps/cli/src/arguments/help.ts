// Help, out of the table of commands.

import { exitCodes } from '../connection/exit-codes.ts';
import { type Command, commonOptions, flagOf, usageOf } from './command.ts';
import { commands } from './commands.ts';

const rows = (pairs: [string, string][]): string[] => {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
};

export function generalHelp(settings: Record<string, string>): string {
  return [
    'Usage: pilothouse COMMAND [options]',
    '',
    'Run, watch and steer tasks of a Pilothouse server.',
    '',
    'Commands:',
    ...rows(commands.map((command) => [usageOf(command), command.what])),
    '',
    'Options of every command:',
    ...rows(Object.entries(commonOptions).map(([name, option]) => [flagOf(name, option), option.what])),
    '  --version',
    '',
    'Environment:',
    ...rows(Object.entries(settings)),
    '',
    'Exit codes:',
    ...rows(Object.values(exitCodes).map(({ code, what }) => [String(code), what])),
  ].join('\n');
}

export function commandHelp(command: Command): string {
  const { args, more = [], what, options, examples = [] } = command;
  const all = { ...options, ...commonOptions };
  return [
    `Usage: pilothouse ${usageOf(command)} [options]`,
    '',
    `${what}.`,
    ...more,
    ...(args.length > 0 ? ['', 'Arguments:', ...rows(args.map(({ name, what: means }) => [name, means]))] : []),
    '',
    'Options:',
    ...rows(Object.entries(all).map(([name, option]) => [flagOf(name, option), option.what])),
    ...(examples.length > 0 ? ['', 'Examples:', ...examples.map((example) => `  ${example}`)] : []),
  ].join('\n');
}
