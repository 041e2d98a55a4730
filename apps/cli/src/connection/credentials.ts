// The API keys that login stored, one for each server, in a file that only its owner can read.

import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure } from './failure.ts';

export type StoredLogin = { api_key?: string; key_id?: string; username?: string };
type Stored = { current?: string; servers: Record<string, StoredLogin> };

export type Credentials = {
  path: string;
  /** The server of the last login. */
  current(): string | undefined;
  of(url: string): StoredLogin | undefined;
  keep(url: string, login: StoredLogin): void;
  forget(url: string): void;
  /** Undefined if there is no file; otherwise whether others can read it. */
  isExposed(): boolean | undefined;
};

export function openCredentials(configDir: string): Credentials {
  const path = join(configDir, 'credentials.json');

  const read = (): Stored => {
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { servers: {} };
      throw error;
    }
    try {
      const stored = JSON.parse(text) as Partial<Stored>;
      return { current: stored.current, servers: stored.servers ?? {} };
    } catch {
      throw new CommandFailure(`${path} cannot be read`, { hint: 'Remove it, and log in again.' });
    }
  };
  const write = (stored: Stored) => {
    mkdirSync(configDir, { recursive: true, mode: 0o700 });
    // In one move, so that another command never reads half of it.
    const next = `${path}.${process.pid}`;
    writeFileSync(next, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
    chmodSync(next, 0o600);
    renameSync(next, path);
  };

  return {
    path,
    current: () => read().current,
    of: (url) => read().servers[url],
    keep(url, login) {
      const { servers } = read();
      write({ current: url, servers: { ...servers, [url]: login } });
    },
    forget(url) {
      const { current, servers } = read();
      const { [url]: _, ...others } = servers;
      if (Object.keys(others).length === 0) rmSync(path, { force: true });
      else write({ current: current === url ? Object.keys(others)[0] : current, servers: others });
    },
    isExposed() {
      const mode = statSync(path, { throwIfNoEntry: false })?.mode;
      return mode === undefined ? undefined : (mode & 0o077) !== 0;
    },
  };
}
