import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, frame } from '@pilothouse/bus';
import type { LiveEvent } from '@pilothouse/contract';
import pg from 'pg';
import { type Installation, openInstallation } from '../testkit/installation.ts';

type Arrived = { event: LiveEvent; at: number };

describe('a viewer of a browser at work', () => {
  let installation: Installation;
  let server: Server;
  let url: string;
  before(async () => {
    server = createServer((_, response) => {
      const script = `<script>let n = 0; setInterval(() => { document.querySelector('h1').textContent = n++ }, 200)</script>`;
      response.setHeader('content-type', 'text/html').end(`<h1>0</h1>${script}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // Listening on TCP, so the address is of this kind.
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    process.env.HOST_LEASE_SECS = '5';
    installation = await openInstallation('watch', { browsers: 2, sites: [url] });
  });
  after(async () => {
    delete process.env.HOST_LEASE_SECS;
    await installation?.close();
    server?.closeAllConnections();
    server?.close();
  });

  /** A task that looks at a page that never rests, and a viewer who watches it and follows its task. */
  async function watchWork() {
    const { client } = installation;
    const steps = [
      { action: 'navigate', url },
      { action: 'wait', for: { text: 'Never said' } },
    ] as const;
    const { session_id, task_id } = await client.sendChat({ prompt: 'watch', steps: [...steps] });
    const stop = new AbortController();
    const arrived: Arrived[] = [];
    const seqs: number[] = [];
    const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(60_000)]);
    const watching = (async () => {
      for await (const event of client.followSession({ id: session_id }, { signal }))
        arrived.push({ event, at: performance.now() });
    })().catch(() => {});
    const following = (async () => {
      for await (const event of client.followTask({ id: task_id }, { signal }))
        if ('seq' in event && typeof event.seq === 'number') seqs.push(event.seq);
    })().catch(() => {});
    const since = (at: number, isMeant: (event: LiveEvent) => boolean) =>
      arrived.find((one) => one.at > at && isMeant(one.event));
    await until(() => arrived.filter(({ event }) => event.type === 'frame').length > 3, 20_000);
    return {
      task_id,
      session_id,
      seqs,
      /** From then until something came that is meant, in milliseconds. */
      async took(at: number, isMeant: (event: LiveEvent) => boolean, boundMs: number): Promise<number> {
        await until(() => since(at, isMeant) !== undefined, boundMs);
        return Math.round((since(at, isMeant)?.at ?? Number.NaN) - at);
      },
      async leave() {
        await client.deleteSession({ id: session_id });
        stop.abort();
        await Promise.all([watching, following]);
      },
    };
  }
  async function ask<Row extends pg.QueryResultRow>(text: string, id: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: installation.stack.services.databaseUrl() });
    await client.connect();
    try {
      return (await client.query<Row>(text, [id])).rows;
    } finally {
      await client.end();
    }
  }

  const isNoLonger = (event: LiveEvent) => event.type === 'status' && event.session.browser !== 'live';
  const isFrame = (event: LiveEvent) => event.type === 'frame';

  it('has the page filmed from its coming on, and no longer than some seconds after its leaving', async () => {
    const { client, stack } = installation;
    const steps = [{ action: 'navigate', url } as const];
    const { session_id, task_id } = await client.sendChat({ prompt: 'look', steps });
    for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(30_000) }));
    const { url: servers } = stack.services.bus();
    const signIn = await stack.services.admit({ role: 'server', id: 'test' });
    const bus = await connectBus({ servers, ...signIn, name: 'test' });
    const filmed: number[] = [];
    bus.subscribe(frame, { session_id }, () => void filmed.push(performance.now()));
    await sleep(6000);
    assert.deepEqual(filmed, [], 'nobody watches');

    const stop = new AbortController();
    const begun = performance.now();
    const watching = (async () => {
      for await (const _ of client.followSession({ id: session_id }, { signal: stop.signal }));
    })().catch(() => {});
    await until(() => filmed.length > 0, 5000);
    const startMs = Math.round((filmed[0] ?? Number.NaN) - begun);
    await sleep(1000);
    stop.abort();
    await watching;
    const left = performance.now();
    await sleep(7000);
    const stopMs = Math.round((filmed.at(-1) ?? Number.NaN) - left);
    console.log(`filmed ${startMs} ms after a viewer came, and up to ${stopMs} ms after they left`);
    assert.ok(startMs < 1000, `begins after ${startMs} ms`);
    assert.ok(stopMs < 5000, `ends after ${stopMs} ms`);
    await bus.close();
    await client.deleteSession({ id: session_id });
  });

  it('is told within two seconds that its host was killed, and sees it go on', async () => {
    const work = await watchWork();
    const [held] = await ask<{ host_id: string }>(
      'select host_id from browsers where session_id = $1',
      work.session_id,
    );
    const host = held?.host_id ?? '';
    const killedAt = performance.now();
    await installation.stack.kill(host);
    const toldMs = await work.took(killedAt, isNoLonger, 5000);
    const backMs = await work.took(killedAt + toldMs, isFrame, 20_000);
    console.log(`told after ${toldMs} ms, frames again ${backMs} ms later`);
    // The time in which an agent asks a silent host again, and what a noisy machine adds.
    assert.ok(toldMs < 4000, `told after ${toldMs} ms`);
    await installation.stack.start(host);
    await work.leave();
  });

  it('sees frames again soon after NATS was away, and misses nothing that was logged', async () => {
    const work = await watchWork();
    await installation.stack.kill('nats');
    await sleep(1000);
    await installation.stack.start('nats');
    const startedAt = performance.now();
    const backMs = await work.took(startedAt, isFrame, 15_000);
    console.log(`frames again ${backMs} ms after NATS was back`);
    assert.ok(backMs < 6000, `frames again after ${backMs} ms`);
    await installation.client.cancelTask({ id: work.task_id });
    await sleep(500);
    // Where the browser went is for those who watch the session.
    const logged = await ask<{ seq: string }>(
      `select seq from events where task_id = $1 and kind <> 'route' order by seq`,
      work.task_id,
    );
    assert.deepEqual(
      work.seqs,
      logged.map(({ seq }) => Number(seq)),
    );
    await work.leave();
  });
});

async function until(isSo: () => boolean, boundMs: number): Promise<void> {
  const deadline = performance.now() + boundMs;
  while (!isSo()) {
    assert.ok(performance.now() < deadline, `not within ${boundMs} ms`);
    await sleep(5);
  }
}
