// A host as main.ts builds it, inside the test, and an agent that tells it what to do.

import { tmpdir } from 'node:os';
import {
  type Acted,
  type Bus,
  connectBus,
  type DomainPolicy,
  type Failure,
  type Gate,
  type HostCommand,
  type HostReply,
  hostCommand,
  type OnlyIf,
  type SavedState,
  type SessionCommand,
  sessionCommand,
  type TypedSecret,
} from '@pilothouse/bus';
import type { NatsForTest } from '@pilothouse/bus/testing';
import type { Step } from '@pilothouse/contract';
import { createLog } from '@pilothouse/process';
import type { z } from 'zod';
import { until } from '../../../testkit/until.ts';
import { openHostFolder } from '../src/chromium/folders.ts';
import { newId } from '../src/common/id.ts';
import { createHost, type Host } from '../src/host/host.ts';
import type { HostCounters } from '../src/host/metrics.ts';
import { limitsOf, type SessionLimits } from '../src/limits/limits.ts';
import type { FileLimits } from '../src/pages/file-transfer.ts';
import type { openSession as OpenSession } from '../src/session/session.ts';

// Tests run side by side, and a user is cleared of processes when it is handed on: each has users of its own.
export const firstUid = 100_000 + process.pid * 64;
/** As wide as a host's own, so that only tests of walls run into them. */
export const usualLimits = limitsOf({
  memoryMb: 1536,
  processes: 100,
  diskMb: 2048,
  pages: 20,
  cpuPercent: 80,
  cpuSecs: 600,
});
const usualViewport = { width: 1280, height: 720 };

/** Test sites listen wherever there is room. */
class EveryPort extends Set<number> {
  override has(): boolean {
    return true;
  }
}

export type Hosting = {
  ports?: ReadonlySet<number>;
  capacity?: number;
  warm?: number;
  fileLimits?: FileLimits;
  limits?: SessionLimits;
  openSession?: typeof OpenSession;
  counters?: HostCounters;
  /** Of several hosts in one test, which one this is: they would end each other's browsers as their own users'. */
  place?: number;
};
const uidsOfHost = 16;

export type HostForTest = {
  host: Host;
  folder: string;
  setHeld(held: boolean): void;
  close(): Promise<void>;
};

export async function startHost(
  nats: Pick<NatsForTest, 'as'>,
  hostId: string,
  {
    capacity = 4,
    warm = 0,
    fileLimits,
    limits = usualLimits,
    openSession,
    counters,
    ports = new EveryPort(),
    place = 0,
  }: Hosting = {},
): Promise<HostForTest> {
  let isHeld = true;
  const bus = await connectBus(nats.as({ host: hostId }));
  const folder = await openHostFolder(tmpdir(), hostId);
  const host = createHost({
    bus,
    log: createLog(hostId, 'silent'),
    hostId,
    capacity,
    warm,
    chromium: {
      path: '/usr/lib/chromium/chromium-headless-shell',
      hasSandbox: true,
      guard: { allowLoopbackPorts: ports },
    },
    folder: folder.path,
    firstUid: process.getuid?.() === 0 ? firstUid + place * uidsOfHost : undefined,
    isHeld: () => isHeld,
    fileLimits,
    limits,
    openSession,
    counters,
  });
  host.fill();
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

  async function usage() {
    const reply = await host({ type: 'status' });
    return (reply.ok && reply.status?.sessions.find((one) => one.session_id === sessionId)) || undefined;
  }

  const tryTo = (step: Step, how: How = {}) => {
    const { epoch = 1, deadlineMs = 8000, commandId = newId(), bring, onlyIf, gate, secret } = how;
    const said = { command_id: commandId, epoch, deadline_ms: deadlineMs, step, bring, only_if: onlyIf, secret };
    return tell(gate ? { type: 'gated_act', ...said, gate } : { type: 'act', ...said });
  };

  return {
    sessionId,
    ask,
    tell,
    open: ({ epoch = 1, state = null, viewport = usualViewport, reach, secrets }: Opening = {}) =>
      host({ type: 'open', session_id: sessionId, epoch, viewport, state, reach, secrets }),
    status: () => host({ type: 'status' }),
    /** What the host reports of this session. */
    usage,
    /** Waits until the host performs a command of this session. */
    async underWay(): Promise<void> {
      let zeros = 0;
      // A session that was used a moment ago is idle for 0 ms once; one that performs a command stays at 0.
      await until(async () => {
        zeros = (await usage())?.idle_ms === 0 ? zeros + 1 : 0;
        return zeros === 2;
      }, 5000);
    },
    closeSession: (epoch = 1) => host({ type: 'close', session_id: sessionId, epoch }),
    tryTo,
    /** Does the step, or fails the test. */
    async act(step: Step, how?: How): Promise<{ acted: Acted; image: Uint8Array }> {
      const { head, body } = await tryTo(step, how);
      if (!head.ok || head.type !== 'acted') throw new Error(`${step.action}: ${JSON.stringify(head)}`);
      return { acted: head, image: body };
    },
    /** What the host says of a step that it does not do. Throws where it does it. */
    async refusalOf(step: Step, how?: How): Promise<{ failure: Failure; message: string }> {
      const { head } = await tryTo(step, how);
      if (head.ok) throw new Error(`${step.action} was done`);
      return head;
    },
    /** Why the step is not done, or undefined. */
    async failureOf(step: Step, how?: How): Promise<Failure | undefined> {
      const { head } = await tryTo(step, how);
      return head.ok ? undefined : head.failure;
    },
  };
}

type Opening = {
  epoch?: number;
  state?: SavedState | null;
  viewport?: { width: number; height: number };
  reach?: DomainPolicy;
  secrets?: string[];
};
type How = {
  epoch?: number;
  deadlineMs?: number;
  commandId?: string;
  bring?: ('picture' | 'state')[];
  onlyIf?: OnlyIf;
  secret?: TypedSecret;
  gate?: Gate;
};
