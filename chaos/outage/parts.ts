// Takes PostgreSQL, NATS or all agents away and brings them back: by a crash, or frozen with their connections open.

import { readdirSync, readFileSync } from 'node:fs';
import type { Stack } from '../../testkit/stack/stack.ts';

export type OutagePart = 'postgres' | 'nats' | 'agents';
export const outageParts = ['postgres', 'nats', 'agents'] as const satisfies OutagePart[];
export type OutageWay = 'killed' | 'frozen';

const membersOf = (stack: Stack, part: OutagePart): string[] =>
  part === 'agents' ? Object.keys(stack.status().processes).filter((name) => name.startsWith('agent')) : [part];

function pidsOf(stack: Stack, name: string): number[] {
  const { processes, services } = stack.status();
  const pid = (processes[name] ?? services[name])?.pid;
  if (!pid) throw new Error(`${name} does not run`);
  // PostgreSQL has a process for each connection.
  return name === 'postgres' ? [pid, ...childrenOf(pid)] : [pid];
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]) === parent;
    } catch {
      return false;
    }
  });
}

/** Returns what brings the part back; it resolves when the part is ready. */
export async function takeAway(stack: Stack, part: OutagePart, way: OutageWay): Promise<() => Promise<void>> {
  const names = membersOf(stack, part);
  if (way === 'frozen') {
    const pids = names.flatMap((name) => pidsOf(stack, name));
    const signal = (one: NodeJS.Signals) => {
      for (const pid of pids) process.kill(pid, one);
    };
    signal('SIGSTOP');
    return async () => signal('SIGCONT');
  }
  await Promise.all(names.map((name) => stack.kill(name)));
  return async () => void (await Promise.all(names.map((name) => stack.start(name))));
}
