// mcp and mcp install.

import { dirname } from 'node:path';
import { CommandFailure } from '../connection/failure.ts';
import { runBridge } from '../mcp/bridge.ts';
import { type Entry, entryText, readSettings, withEntry, writeSettings } from '../mcp/install.ts';
import { settingsDir, type TargetName, targetOf } from '../mcp/targets.ts';
import { jsonLine } from '../output/terminal.ts';
import { connectionOf, flag, type Run, show, text } from './context.ts';

export const mcp: Run = async (context) => {
  const { url, token } = connectionOf(context);
  const { terminal, stdin } = context;
  await runBridge({
    url,
    token,
    input: stdin,
    write: (message) => terminal.print(jsonLine(message)),
    warn: terminal.warn,
  });
  return 'done';
};

export const mcpInstall: Run = async (context) => {
  const { values, config, terminal } = context;
  const { url } = connectionOf(context);
  const name = text(values, 'target') as TargetName | undefined;
  if (!name)
    throw new CommandFailure('--target is missing', { exit: 'usage', hint: 'See pilothouse mcp install --help' });
  const configDir = settingsDir(config.homeDir, dirname(config.configDir), process.platform);
  const target = targetOf(name, { homeDir: config.homeDir, projectDir: process.cwd(), configDir });
  const entry: Entry = { ...thisProgram(), env: { PILOTHOUSE_URL: url } };
  const isWritten = !flag(values, 'print');
  if (isWritten) writeSettings(target.file, withEntry(target, readSettings(target.file), entry));
  show(context, { file: target.file, written: isWritten, entry }, () => [
    `${isWritten ? 'Wrote' : 'Would write'} this into ${target.file}, for ${target.title}:`,
    '',
    ...entryText(target, entry).split('\n'),
  ]);
  if (isWritten && !flag(values, 'json'))
    terminal.print(`\nStart ${target.title} again. Its key is the one of \`pilothouse login\`.`);
  return 'done';
};

/** The command with which an agent starts this very program. A folder of `npx` is emptied one day: then npm finds it again. */
function thisProgram(): Pick<Entry, 'command' | 'args'> {
  const [node = 'node', main = ''] = process.argv;
  if (/[\\/]_npx[\\/]/.test(main)) return { command: 'npx', args: ['-y', '@pilothouse/cli', 'mcp'] };
  return { command: node, args: [main, 'mcp'] };
}
