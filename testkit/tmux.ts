// A terminal in which a test runs a command as a person does, and looks at what is on the screen.

import { execFileSync } from 'node:child_process';
import { until } from './until.ts';

type Options = { cwd: string; env: Record<string, string | undefined>; columns?: number; rows?: number };
let opened = 0;

/** A shell in a terminal of its own. `close` ends everything in it. */
export function openTmux({ cwd, env, columns = 100, rows = 30 }: Options) {
  opened += 1;
  const socket = `pilothouse-${process.pid}-${opened}`;
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', socket, ...args], { encoding: 'utf8', timeout: 10_000 });
  const set = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : ['-e', `${name}=${value}`]));
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, '-c', cwd, ...set, 'bash --norc');
  const screen = () => tmux('capture-pane', '-p').trimEnd();
  return {
    /** Keys by their names in tmux: `Enter`, `C-c`. */
    press: (...keys: string[]) => void tmux('send-keys', ...keys),
    type: (text: string) => void tmux('send-keys', '-l', text),
    screen,
    /** With the codes of colours. */
    painted: () => tmux('capture-pane', '-p', '-e').trimEnd(),
    async shows(wanted: RegExp, timeoutMs = 30_000): Promise<string> {
      try {
        await until(() => wanted.test(screen()), timeoutMs);
      } catch {
        throw new Error(`the screen does not show ${wanted}:\n${screen()}`);
      }
      return screen();
    },
    close: () => void tmux('kill-server'),
  };
}
