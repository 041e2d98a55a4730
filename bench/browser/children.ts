import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connectBus } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { drive } from '../../apps/browser/testing/host.ts';
import type { BareOrder } from './bare.child.ts';
import type { HostOrder } from './host.child.ts';

const hostId = 'bench';
const endWithinMs = 10_000;
/** A process that died, or a page that does not come, is to end the run and not to hold it up. */
const answerWithinMs = 90_000;

/** A host in a process of its own, with the bus before it as a server sees it. */
export async function startOurs(capacity: number) {
  const nats = await startNats({ hosts: [hostId] });
  const server = await connectBus(nats.as('server'));
  const child = fork(new URL('host.child.ts', import.meta.url));
  const order: HostOrder = { credentials: nats.as({ host: hostId }), hostId, capacity };
  child.send(order);
  await once(child, 'message');
  return {
    pid: pidOf(child),
    server,
    async openSession() {
      const session = drive(server, hostId);
      const opened = await session.open();
      if (!opened.ok) throw new Error(`no session: ${opened.failure}`);
      return session;
    },
    async close() {
      await end(child);
      await server.close();
      await nats.close();
    },
  };
}
export type OurSession = Awaited<ReturnType<Awaited<ReturnType<typeof startOurs>>['openSession']>>;

/** Bare Chromiums in a process of their own. Each order is answered with the frames that were seen so far. */
export async function startBare() {
  const child = fork(new URL('bare.child.ts', import.meta.url));
  await once(child, 'message');
  return {
    pid: pidOf(child),
    async tell(order: BareOrder): Promise<number> {
      const answered = once(child, 'message', { signal: AbortSignal.timeout(answerWithinMs) });
      child.send(order);
      const [frames] = await answered;
      return Number(frames);
    },
    close: () => end(child),
  };
}

export async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
  await exited;
  clearTimeout(timer);
}

export function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the process did not start');
  return pid;
}
