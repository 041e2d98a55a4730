// What a Chromium says of its own protocol. It only tells on a port, so one is opened here: in tests and nowhere else.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../testkit/until.ts';

type Protocol = { domains: { domain: string; commands?: { name: string }[] }[] };

/** Every command, as `Domain.command`. */
export async function commandsOf(path: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-protocol-'));
  const args = ['--headless', '--no-sandbox', '--remote-debugging-port=0', `--user-data-dir=${folder}`];
  const child = spawn(path, args, { stdio: 'ignore', detached: true });
  const ended = once(child, 'close');
  try {
    let port = '';
    await until(async () => {
      const text = await readFile(join(folder, 'DevToolsActivePort'), 'utf8').catch(() => '');
      port = text.split('\n')[0] ?? '';
      return port !== '';
    }, 20_000);
    const response = await fetch(`http://127.0.0.1:${port}/json/protocol`, { signal: AbortSignal.timeout(10_000) });
    const { domains } = (await response.json()) as Protocol;
    return domains.flatMap(({ domain, commands = [] }) => commands.map(({ name }) => `${domain}.${name}`));
  } finally {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
