// The tables of docs/guides/cli.md, out of the table of commands. Run it to write them: node apps/cli/testing/guide.ts

import { readFileSync, writeFileSync } from 'node:fs';
import { type Command, commonOptions, flagOf, type Option, usageOf } from '../src/arguments/command.ts';
import { commands } from '../src/arguments/commands.ts';
import { settings } from '../src/config.ts';
import { exitCodes } from '../src/connection/exit-codes.ts';

const file = new URL('../../../docs/guides/cli.md', import.meta.url);
export const readGuide = () => readFileSync(file, 'utf8');

const cell = (text: string) => text.replaceAll('|', '\\|');
const row = (...cells: string[]) => `| ${cells.map(cell).join(' | ')} |`;
const table = (head: string[], rows: string[][]) =>
  [row(...head), row(...head.map(() => '---')), ...rows.map((one) => row(...one))].join('\n');
const optionRows = (options: Readonly<Record<string, Option>>) =>
  Object.entries(options).map(([name, option]) => [`\`${flagOf(name, option)}\``, option.what]);

/** The text of each section, by its heading. */
export const sections: Record<string, string> = {
  Commands: table(
    ['Command', 'Does'],
    commands.map((command) => [`\`${usageOf(command)}\``, command.what]),
  ),
  Options: [
    table(['Every command', ''], optionRows(commonOptions)),
    ...(commands as readonly Command[])
      .filter(({ options }) => Object.keys(options).length > 0)
      .map((command) => table([`\`${usageOf(command)}\``, ''], optionRows(command.options))),
  ].join('\n\n'),
  'Exit codes': table(
    ['Code', 'Means'],
    Object.values(exitCodes).map(({ code, what }) => [String(code), what]),
  ),
  Environment: table(
    ['Setting', ''],
    Object.entries(settings).map(([name, what]) => [`\`${name}\``, what]),
  ),
};

/** With the tables of now; what stands before and after a table stays. */
export function withSections(guide: string): string {
  return Object.entries(sections).reduce((text, [title, body]) => {
    const [before = '', after] = text.split(`\n## ${title}\n`);
    if (after === undefined) throw new Error(`the guide has no section ${title}`);
    const rest = after.replace(/^(?:\n+(?:\|.*\n)+)+/, '');
    return `${before}\n## ${title}\n\n${body}\n${rest}`;
  }, guide);
}

if (import.meta.main) writeFileSync(file, withSections(readGuide()));
