// The passwords of a bus whose processes read them from files, and how an operator replaces them while everything works.

import { randomBytes } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BusPasswords, connectBus, type Member, passwordsOf } from '@pilothouse/bus';
import type { ClusterForTest } from '@pilothouse/bus/testing/cluster';

type Part = Member & { name: string };

/** Until all connections are back. */
const takenUpMs = 2000;
const refusedMs = 30_000;

/** For a stack with this many servers, agents and hosts; the files are in this folder. */
export function createCredentials(folder: string, each: number) {
  const parts = Array.from({ length: each }, (_, index): Part[] => {
    const id = String(index + 1);
    return [
      { role: 'server', id, name: `server-${id}` },
      { role: 'agent', id, name: `agent-${id}` },
      { role: 'host', id: `browser-${id}`, name: `browser-${id}` },
    ];
  }).flat();
  const fileOf = (name: string) => join(folder, `${name}.password`);
  let passwords = newPasswords(parts);

  /** In one move each; the first is tried first. */
  function write(...all: BusPasswords[]): void {
    for (const { role, id, name } of parts) {
      const words = all.map((one) => passwordsOf(one, role)[id]);
      writeFileSync(`${fileOf(name)}.next`, words.join(','), { mode: 0o600 });
      renameSync(`${fileOf(name)}.next`, fileOf(name));
    }
  }
  write(passwords);

  return {
    first: passwords,
    /** What a part of the stack is told in place of a password. */
    settingsOf: (part: string) => ({ NATS_PASSWORD: '', NATS_PASSWORD_FILE: fileOf(part) }),
    /** Nodes of NATS 2.9 have to be restarted. Returns at how many nodes the former password is still good. */
    async rotate(cluster: ClusterForTest, way: 'reload' | 'restart'): Promise<number> {
      const former = { ...cluster.as('server') };
      const next = newPasswords(parts);
      write(next, passwords);
      if (way === 'reload') cluster.setPasswords(next);
      else await cluster.restartWith(next);
      await sleep(takenUpMs);
      write(next);
      passwords = next;
      const isGood = await Promise.all(cluster.urls.map((servers) => canSignIn({ ...former, servers })));
      return isGood.filter(Boolean).length;
    },
  };
}
export type BusCredentials = ReturnType<typeof createCredentials>;

function newPasswords(parts: Part[]): BusPasswords {
  const passwords: BusPasswords = { servers: {}, agents: {}, hosts: {} };
  for (const { role, id } of parts) passwordsOf(passwords, role)[id] = randomBytes(18).toString('base64url');
  return passwords;
}

async function canSignIn(signIn: ReturnType<ClusterForTest['as']>): Promise<boolean> {
  const bus = await connectBus({ ...signIn, connectTimeoutMs: refusedMs }).catch((error: unknown) => {
    if (error instanceof Error && /authori[sz]ation/i.test(error.message)) return undefined;
    throw error;
  });
  await bus?.close({ timeoutMs: 200 });
  return bus !== undefined;
}
