// What a Chromium says of its own protocol. It only tells on a port, so one is opened here: in tests and nowhere else.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../testkit/until.ts';

/** A parameter, or a type that parameters name by `$ref`. */
export type ProtocolType = {
  name?: string;
  id?: string;
  type?: string;
  $ref?: string;
  optional?: boolean;
  enum?: string[];
  items?: ProtocolType;
  properties?: ProtocolType[];
};
export type ProtocolDomain = {
  domain: string;
  types?: ProtocolType[];
  commands?: { name: string; parameters?: ProtocolType[] }[];
};

/** Every command, as `Domain.command`. */
export async function commandsOf(path: string): Promise<string[]> {
  const domains = await domainsOf(path);
  return domains.flatMap(({ domain, commands = [] }) => commands.map(({ name }) => `${domain}.${name}`));
}

export async function domainsOf(path: string): Promise<ProtocolDomain[]> {
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
    return ((await response.json()) as { domains: ProtocolDomain[] }).domains;
  } finally {
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}
