// Starts and ends processes that outlive the command that started them. Never takes another process for one of ours.

import { type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setSecretsApart } from './secrets.ts';

/** A process of ours that outlives the command that started it. */
export type Daemon = {
  pid: number;
  /** When the kernel started it: a pid alone may belong to another process by now. */
  startedAt: string;
};

export function startDaemon(
  command: string,
  args: string[],
  { log, env, ...options }: { log: string; env: NodeJS.ProcessEnv } & Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'>,
): Daemon {
  const out = openSync(log, 'a', 0o600);
  const secrets = setSecretsApart(env);
  const stdio = ['ignore' as const, out, out, ...secrets.stdio];
  const child = spawn(command, args, { ...options, env: secrets.env, detached: true, stdio });
  secrets.send(child);
  closeSync(out);
  // Without a listener a missing program would end us with a stack trace instead of the caller's message.
  child.on('error', () => {});
  child.unref();
  if (child.pid === undefined) throw new Error(`cannot start ${command}: is it installed?`);
  return { pid: child.pid, startedAt: startTime(child.pid) ?? '' };
}

export function isAlive({ pid, startedAt }: Daemon): boolean {
  return startTime(pid) === startedAt;
}

/** Sends the signal and waits until the process is gone; past the deadline it is killed. */
export async function stopDaemon(daemon: Daemon, signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
  if (!isAlive(daemon)) return;
  send(daemon, signal);
  if (await until(() => !isAlive(daemon), timeoutMs)) return;
  send(daemon, 'SIGKILL');
  if (!(await until(() => !isAlive(daemon), 5000))) throw new Error(`process ${daemon.pid} cannot be ended`);
}

function send({ pid }: Daemon, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended since we looked, which is what we want of it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Asks again and again until the answer is true or the time is up. An answer that comes late is too late. */
export async function until(ask: () => boolean | Promise<boolean>, timeoutMs: number, everyMs = 25): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const isSo = await ask();
    if (performance.now() > end) return false;
    if (isSo) return true;
    await sleep(everyMs);
  }
}

/** Field 22 of the kernel's record of the process; nothing when it is gone or only waits to be reaped. */
export function startTime(pid: number): string | undefined {
  try {
    const record = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces, so count from behind it.
    const fields = record.slice(record.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}
