import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { frame } from '@pilothouse/bus';
import { newId } from '@pilothouse/store';
import { drive } from '../../browser/testing/host.ts';
import { until } from '../../browser/testing/until.ts';
import { type Runtime, startRuntime } from '../testing/runtime.ts';
import { startRecorder } from './recorder.ts';

/** Paints something new twenty times a second; or once, and never again. */
const pages: Record<string, string> = {
  '/moving': `<title>Moving</title><h1>0</h1><script>
    let n = 0; setInterval(() => { document.querySelector('h1').textContent = ++n; }, 50);</script>`,
  '/still': '<title>Still</title><h1>Nothing moves here</h1>',
};

describe('a session that is recorded', () => {
  let runtime: Runtime;
  let host: Awaited<ReturnType<Runtime['addHost']>>;
  let server: Server;
  let site: string;
  let blobDir: string;
  before(async () => {
    server = createServer(({ url = '' }, response) => {
      response.setHeader('content-type', 'text/html').end(pages[url] ?? '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    blobDir = await mkdtemp(join(tmpdir(), 'pilothouse-blobs-'));
    runtime = await startRuntime({ hosts: ['r1', 'r2'], blobDir });
    host = await runtime.addHost('r1');
  });
  after(async () => {
    await host?.close();
    await runtime?.close();
    server?.closeAllConnections();
    server?.close();
    await rm(blobDir, { recursive: true, force: true });
  });

  /** One with a browser and a task at work. */
  async function working({ recording = true } = {}) {
    const { store } = runtime;
    const sessionId = await runtime.newSession({ recording });
    const epoch = await runtime.open(sessionId, 'r1', host.bootId);
    const { id } = await runtime.newTask(sessionId);
    const begun = await store.change(sessionId, (tx) => store.tasks.beginExecution(tx, id, newId()));
    assert.ok(begun);
    const held = { id, executionId: begun.executionId };
    const driver = drive(runtime.bus, 'r1', sessionId);
    const frames = async () => {
      const { rows } = await store.recordings.pageOf(sessionId, { kinds: [], limit: 200 });
      return rows.flatMap((row) => ('frame' in row ? row.frame : []));
    };
    const isWatched = async () => {
      const { status } = (await driver.status()) as {
        status: { sessions: { session_id: string; is_watched: boolean }[] };
      };
      return status.sessions.some(({ session_id, is_watched }) => session_id === sessionId && is_watched);
    };
    const go = (path: string) => driver.act({ action: 'navigate', url: site + path }, { epoch });
    return { id, sessionId, epoch, held, driver, frames, isWatched, go };
  }
  /** Two agents, as in a larger house. */
  async function whileRecorded(work: () => Promise<void>): Promise<void> {
    const { store, bus, log } = runtime;
    const two = [1, 2].map(() => startRecorder({ store, bus, log, agentId: newId(), everyMs: 200 }));
    await work().finally(() => Promise.all(two.map((one) => one.close())));
  }

  it('has at most two frames a second while its page moves, and none while it is still', async () => {
    const { store } = runtime;
    const { id, sessionId, frames, go } = await working();
    await whileRecorded(async () => {
      await go('/moving');
      await until(async () => (await frames()).length >= 3, 20_000);
      await sleep(3000);
      const moving = await frames();
      const times = moving.map(({ recorded_at }) => recorded_at.getTime());
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      console.log(`frames of a moving page: ${moving.length}, ${gaps.join(', ')} ms apart`);
      assert.ok(moving.length >= 6, `${moving.length} frames`);
      // Timers may be a millisecond early.
      for (const gap of gaps) assert.ok(gap >= 499, gaps.join(' '));
      const blobs = await Promise.all(moving.map(({ blob_key }) => store.blobs.get(blob_key ?? '')));
      for (const bytes of blobs) assert.equal(Buffer.from(bytes ?? []).toString('hex', 0, 2), 'ffd8', 'a JPEG');
      const newest = moving.at(-1);
      assert.deepEqual(
        [newest?.task_id, newest?.width, newest?.height, newest?.route],
        [id, 1280, 720, { session: sessionId, page: 'p1', frame: null, url: `${site}/moving`, title: 'Moving' }],
      );
      assert.equal((await store.frames.of(sessionId))?.frame_id, (await frames()).at(-1)?.frame_id, 'and the newest');

      await go('/still');
      await until(
        async () => (await frames()).some(({ route: at }) => (at as { title: string }).title === 'Still'),
        10_000,
      );
      await sleep(1500);
      const settled = (await frames()).length;
      await sleep(3000);
      assert.equal((await frames()).length, settled, 'a still page adds nothing');
    });
  });

  it('is watched while its task works, and no longer', async () => {
    const { store } = runtime;
    const { sessionId, held, isWatched, frames, go } = await working();
    await whileRecorded(async () => {
      await until(isWatched, 10_000);
      await store.change(sessionId, async (tx) => {
        await store.tasks.move(tx, held, 'fail', { lastError: 'enough' });
        await store.sessions.move(tx, sessionId, 'rest');
      });
      await until(async () => !(await isWatched()), 10_000);
      const before = (await frames()).length;
      await go('/moving');
      await sleep(1500);
      assert.equal((await frames()).length, before);
    });
  });

  it('is the only one: nobody watches a session that is not', async () => {
    const { isWatched, frames, go } = await working({ recording: false });
    await whileRecorded(async () => {
      await go('/moving');
      await sleep(1500);
      assert.equal(await isWatched(), false);
      assert.deepEqual(await frames(), []);
    });
  });

  it('believes the host that holds it, and keeps no bytes of what is private', async () => {
    const { sessionId, epoch, frames, isWatched, go } = await working();
    const [holder, other] = [host.line, await runtime.connectAs('r2')];
    let seq = 1_000_000;
    const show = (from: typeof other, hostId: string, image: string, isPrivate = false) =>
      from.publish(
        frame,
        { host_id: hostId, session_id: sessionId },
        {
          header: {
            frame_id: newId(),
            session_id: sessionId,
            epoch,
            seq: seq++,
            recorded_at: new Date().toISOString(),
            content_type: 'image/jpeg',
            width: 10,
            height: 20,
            device_scale: 1,
            scroll: { x: 0, y: 0 },
            page: 'p1',
            url: 'http://shop.test/\0',
            title: '\ud800',
            private: isPrivate,
          },
          image: Buffer.from(image),
        },
      );
    const small = async () => (await frames()).filter(({ width }) => width === 10);
    await go('/still');
    await whileRecorded(async () => {
      await until(isWatched, 10_000);
      // What it was shown first is kept by now, and what follows is ours alone.
      await until(async () => (await frames()).length > 0, 10_000);
      await sleep(1000);
      show(other, 'r2', 'not mine to show');
      await sleep(700);
      assert.deepEqual(await small(), []);
      for (const image of ['one', 'two']) {
        show(holder, 'r1', image, true);
        await sleep(700);
      }
      show(holder, 'r1', 'three');
      await until(async () => (await small()).length === 2, 10_000);
      const [hidden, shown] = await small();
      assert.deepEqual([hidden?.private, hidden?.blob_key], [true, null], 'one line for all of them');
      assert.equal(shown?.private, false);
      assert.equal(String(await runtime.store.blobs.get(shown?.blob_key ?? '')), 'three');
      assert.equal((await runtime.store.frames.of(sessionId))?.frame_id, shown?.frame_id);
    });
    await other.close();
  });

  it('is left to another agent when the one that records it goes', async () => {
    const { store, bus, log } = runtime;
    const { sessionId, frames, go } = await working();
    const recorder = () => startRecorder({ store, bus, log, agentId: newId(), everyMs: 200 });
    const first = recorder();
    await go('/moving');
    await until(async () => (await frames()).length >= 1, 10_000);
    const second = recorder();
    await first.close();
    const before = (await frames()).length;
    await until(async () => (await frames()).length > before, 10_000);
    await second.close();
    const claimed = await store.recorders.claim(newId(), 1000);
    assert.ok(
      claimed.some((one) => one.sessionId === sessionId),
      'and is free again',
    );
  });
});
