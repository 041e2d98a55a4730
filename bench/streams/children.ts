import { fork } from 'node:child_process';
import { once } from 'node:events';
import { end, pidOf } from '../browser/children.ts';
import type { StreamOrder } from './bare.child.ts';
import type { ClientsOrder, ClientsReply } from './clients.child.ts';

const answerWithinMs = 120_000;

/** A bare server of event streams in a process of its own. */
export async function startBareStreams() {
  const child = fork(new URL('bare.child.ts', import.meta.url));
  const [port] = await once(child, 'message', { signal: AbortSignal.timeout(answerWithinMs) });
  return {
    pid: pidOf(child),
    port: Number(port),
    say: (said: StreamOrder) => void child.send(said),
    close: () => end(child),
  };
}

/** Those who follow, in a process of their own. */
export async function startClients() {
  const child = fork(new URL('clients.child.ts', import.meta.url));
  await once(child, 'message', { signal: AbortSignal.timeout(answerWithinMs) });
  return {
    async tell(order: ClientsOrder): Promise<ClientsReply> {
      const answered = once(child, 'message', { signal: AbortSignal.timeout(answerWithinMs) });
      child.send(order);
      const [reply] = await answered;
      return reply;
    },
    close: () => end(child),
  };
}
