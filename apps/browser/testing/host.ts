// A host as main.ts builds it, inside the test, and an agent that tells it what to do.

import { tmpdir } from 'node:os';
import {
  type Acted,
  type Bus,
  connectBus,
  type Failure,
  type HostCommand,
  type HostReply,
  hostCommand,
  type SavedState,
  type SessionCommand,
  sessionCommand,
} from '@pilothouse/bus';
import type { NatsForTest } from '@pilothouse/bus/testing';
import type { Step } from '@pilothouse/contract';
import { createLog } from '@pilothouse/process';
import type { z } from 'zod';
import { openHostFolder } from '../src/folder.ts';
import { createHost, type Host } from '../src/host.ts';
import { newId } from '../src/id.ts';

const firstUid = 30_000;
const viewport = { width: 1280, height: 720 };

export type HostForTest = {
  host: Host;
  folder: string;
  setHeld(held: boolean): void;
  close(): Promise<void>;
};

export async function startHost(nats: NatsForTest, hostId: string, { capacity = 4 } = {}): Promise<HostForTest> {
  let isHeld = true;
  const bus = await connectBus(nats.as({ host: hostId }));
  const folder = await openHostFolder(tmpdir(), hostId);
  const host = createHost({
    bus,
    log: createLog(hostId, 'silent'),
    hostId,
    capacity,
    chromiumPath: '/usr/lib/chromium/chromium-headless-shell',
    folder: folder.path,
    firstUid: process.getuid?.() === 0 ? firstUid : undefined,
    isHeld: () => isHeld,
  });
  await bus.ping({ timeoutMs: 2000 });
  return {
    host,
    folder: folder.path,
    setHeld: (held) => {
      isHeld = held;
    },
    async close() {
      await host.close();
      await bus.close();
      await folder.close();
    },
  };
}

/** One session at one host, as an agent sees it. */
export function drive(agent: Bus, hostId: string, sessionId = newId()) {
  const to = { host_id: hostId, session_id: sessionId };

  const ask = (command: z.input<typeof SessionCommand>, timeoutMs = 20_000) =>
    agent.request(sessionCommand, to, command, { timeoutMs });

  async function tell(command: z.input<typeof SessionCommand>) {
    const result = await ask(command);
    if (!result.ok) throw new Error(`no answer: ${result.reason}`);
    return result.reply;
  }

  async function host(command: z.input<typeof HostCommand>): Promise<HostReply> {
    const result = await agent.request(hostCommand, { host_id: hostId }, command, { timeoutMs: 25_000 });
    if (!result.ok) throw new Error(`no answer: ${result.reason}`);
    return result.reply;
  }

  const tryTo = (step: Step, { epoch = 1, deadlineMs = 8000, commandId = newId() }: How = {}) =>
    tell({ type: 'act', command_id: commandId, epoch, deadline_ms: deadlineMs, step });

  return {
    sessionId,
    ask,
    tell,
    open: ({ epoch = 1, state = null }: { epoch?: number; state?: SavedState | null } = {}) =>
      host({ type: 'open', session_id: sessionId, epoch, viewport, state }),
    closeSession: (epoch = 1) => host({ type: 'close', session_id: sessionId, epoch }),
    tryTo,
    /** Does the step, or fails the test. */
    async act(step: Step, how?: How): Promise<{ acted: Acted; image: Uint8Array }> {
      const { head, body } = await tryTo(step, how);
      if (!head.ok || head.type !== 'acted') throw new Error(`${step.action}: ${JSON.stringify(head)}`);
      return { acted: head, image: body };
    },
    /** Why the step is not done, or undefined. */
    async failureOf(step: Step, how?: How): Promise<Failure | undefined> {
      const { head } = await tryTo(step, how);
      return head.ok ? undefined : head.failure;
    },
  };
}

type How = { epoch?: number; deadlineMs?: number; commandId?: string };
