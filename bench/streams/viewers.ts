import { setTimeout as sleep } from 'node:timers/promises';
import { openFakeHost } from '../../testkit/fake-host/fake-host.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { treePssMib } from '../browser/process-tree.ts';
import { cpuMs } from '../server/load.ts';
import { startBareStreams, startClients } from './children.ts';

type ViewersPlan = { viewers: number; rounds: number; roundMs?: number };

const imageBytes = 60 * 1024;
const everyMs = 100;
const restMs = 1500;

/**
 * Frames of one session to many who watch it: what the server uses of the processor, beside a bare server that sends the
 * same bytes; and how late they come to those who read, alone and beside those who do not.
 */
export async function measureViewers({ viewers, rounds, roundMs = 10_000 }: ViewersPlan) {
  Object.assign(process.env, { STREAMS_PER_USER: '100000', STREAMS_PER_ADDRESS: '100000', LOG_LEVEL: 'warn' });
  return withStack(`viewers-${process.pid}`, async (stack) => {
    const port = await freePort();
    await stack.up({ port, servers: 1, agents: 0, browsers: 0, disableAuth: true });
    const many = await measureMany(stack, port, { viewers, rounds, roundMs });
    // A new process: the memory that it is measured by must not hold what the first measurement left.
    await stack.kill('server-1');
    await stack.start('server-1');
    return { many, stuck: await measureStuck(stack, port, { viewers: viewers / 2, rounds, roundMs }) };
  });
}

async function openStage(stack: Stack, port: number) {
  const host = await openFakeHost(stack, port, imageBytes);
  const path = `/api/sessions/${host.sessionId}/live`;
  return { host, paths: (count: number) => Array.from({ length: count }, () => path), pid: pidOf(stack) };
}
const pidOf = (stack: Stack) => stack.status().processes['server-1']?.pid ?? 0;

async function measureMany(stack: Stack, port: number, { viewers, rounds, roundMs }: Required<ViewersPlan>) {
  const { host, paths, pid } = await openStage(stack, port);
  const [bare, ofBare, ofOurs] = await Promise.all([startBareStreams(), startClients(), startClients()]);
  try {
    await ofOurs.tell({ type: 'open', port, paths: paths(viewers) });
    await ofBare.tell({ type: 'open', port: bare.port, paths: Array.from({ length: viewers }, () => '/one') });
    const ours: Side = { pid, clients: ofOurs, spent: 0, frames: 0 };
    const theirs: Side = { pid: bare.pid, clients: ofBare, spent: 0, frames: 0 };
    // Both all the time, and so under the same conditions: one that rested in turn would begin again each time, with what
    // it compiles and collects.
    const end = startSending(host.send);
    bare.say({ stream: '/one', bytes: sameBytes, everyMs });
    await sleep(roundMs);
    for (let round = 0; round < rounds; round += 1)
      await Promise.all([ours, theirs].map((side) => streamFor(side, roundMs)));
    end();
    bare.say({ stream: '/one', bytes: '', everyMs: 0 });
    const per = { ours: microseconds(ours), bare: microseconds(theirs) };
    return {
      viewers,
      frames: { ours: ours.frames, bare: theirs.frames },
      cpu_us_per_frame: per,
      ratio: Math.round((per.ours / per.bare) * 100) / 100,
    };
  } finally {
    await Promise.all([bare.close(), ofBare.close(), ofOurs.close(), host.close()]);
  }
}

type Side = { pid: number; clients: Awaited<ReturnType<typeof startClients>>; spent: number; frames: number };

async function streamFor(side: Side, roundMs: number): Promise<void> {
  const [before, cpuBefore] = [(await side.clients.tell({ type: 'count' })).events, cpuMs(side.pid)];
  await sleep(roundMs);
  side.spent += cpuMs(side.pid) - cpuBefore;
  side.frames += (await side.clients.tell({ type: 'count' })).events - before;
}
function startSending(send: () => void): () => void {
  const timer = setInterval(send, everyMs);
  return () => clearInterval(timer);
}

async function measureStuck(stack: Stack, port: number, { viewers, rounds, roundMs }: Required<ViewersPlan>) {
  const { host, paths, pid } = await openStage(stack, port);
  const healthy = await startClients();
  try {
    await healthy.tell({ type: 'open', port, paths: paths(viewers) });
    const delays = { alone: [] as number[], beside: [] as number[] };
    let heldKib = 0;
    for (let round = 0; round < rounds; round += 1) {
      await healthy.tell({ type: 'count' });
      await sendFor(host.send, roundMs);
      delays.alone.push(...(await healthy.tell({ type: 'count' })).delays);

      const stuck = await startClients();
      const before = treePssMib(pid);
      await stuck.tell({ type: 'open', port, paths: paths(viewers), isStuck: true });
      await sendFor(host.send, roundMs);
      heldKib = Math.max(heldKib, ((treePssMib(pid) - before) * 1024) / viewers);
      delays.beside.push(...(await healthy.tell({ type: 'count' })).delays);
      await stuck.close();
      await sleep(restMs);
    }
    const p99 = { alone: p99Of(delays.alone), beside: p99Of(delays.beside) };
    return {
      viewers,
      stuck: viewers,
      frames: { alone: delays.alone.length, beside: delays.beside.length },
      p99_ms: p99,
      ratio: Math.round((p99.beside / p99.alone) * 100) / 100,
      held_kib_per_stuck: Math.round(heldKib),
    };
  } finally {
    await Promise.all([healthy.close(), host.close()]);
  }
}

async function sendFor(send: () => void, roundMs: number): Promise<void> {
  const end = startSending(send);
  await sleep(roundMs);
  end();
  await sleep(restMs);
}

/** As long as one of ours on the wire. */
const sameBytes = `event: frame\ndata: ${'x'.repeat(Math.ceil(imageBytes / 3) * 4 + 500)}\n\n`;
const microseconds = ({ spent, frames }: Side) => Math.round((spent * 10_000) / Math.max(1, frames)) / 10;
const p99Of = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
