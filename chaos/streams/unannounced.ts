// Events whose publisher died between commit and publish: nobody is told of them, and everybody gets them.

import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore, progressOf } from '@pilothouse/store';
import { startTestServer } from '../../apps/server/testing/server.ts';

type Options = { events: number; clients: number };

/** Between two of them, up to so long: the servers look once a second, whenever that is. */
const pauseMs = 300;
const arriveMs = 10_000;

/** How long each event took to the last of all who follow, over two servers. */
export async function dieBeforePublish({ events, clients }: Options) {
  const one = await startTestServer({ isAuthDisabled: true });
  const other = await one.another();
  // A store that announces nothing, as that of a process that is no longer there.
  const silent = openStore({ url: one.databaseUrl, blobDir: tmpdir(), onError: () => {} });
  const stop = new AbortController();
  const arrived = new Map<number, number[]>();
  const following: Promise<void>[] = [];
  try {
    const { task_id } = await one.client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
    const task = await one.store.tasks.byId(task_id);
    if (!task) throw new Error('there is no task');
    const follow = async (client: typeof one.client) => {
      for await (const event of client.followTask({ id: task_id }, { signal: stop.signal }))
        if ('seq' in event) arrived.set(event.seq, [...(arrived.get(event.seq) ?? []), performance.now()]);
    };
    for (let i = 0; i < clients; i += 1)
      following.push(follow(i % 2 === 0 ? one.client : other.client).catch(() => {}));
    await sleep(500);
    const tookMs: number[] = [];
    let lost = 0;
    for (let i = 0; i < events; i += 1) {
      const { seq } = await silent.change(task.session_id, (_, append) =>
        append({ taskId: task_id, kind: 'status', data: { status: progressOf(task) } }),
      );
      const committed = performance.now();
      const isThere = () => (arrived.get(seq)?.length ?? 0) >= clients;
      while (!isThere() && performance.now() - committed < arriveMs) await sleep(5);
      if (isThere()) tookMs.push(Math.max(...(arrived.get(seq) ?? [])) - committed);
      else lost += 1;
      await sleep(Math.random() * pauseMs);
    }
    const repeated = [...arrived.values()].filter((times) => times.length > clients).length;
    return { events, clients, lost, repeated, slowest_ms: Math.round(Math.max(...tookMs)) };
  } finally {
    stop.abort();
    await Promise.all(following);
    await silent.close();
    await one.close();
  }
}
