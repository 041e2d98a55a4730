import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { frame } from '@pilothouse/bus';
import { newId, type Store } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { drive } from '../../../browser/testing/host.ts';
import { countRounds, passAll } from '../../testing/rounds.ts';
import { type Runtime, startRuntime } from '../../testing/runtime.ts';
import { startRecorder } from './recorder.ts';

/** Paints something new twenty times a second; once, and never again; or once, and has its title only later. */
const pages: Record<string, string> = {
  '/moving': `<title>Moving</title><h1>0</h1><script>
    let n = 0; setInterval(() => { document.querySelector('h1').textContent = ++n; }, 50);</script>`,
  '/still': '<title>Still</title><h1>Nothing moves here</h1>',
  '/titled-late': `<h1>Nothing moves here</h1><script>
    fetch('/title').then((answer) => answer.text()).then((title) => { document.title = title; })</script>`,
};

describe('a session that is recorded', () => {
  let runtime: Runtime;
  let host: Awaited<ReturnType<Runtime['addHost']>>;
  let server: Server;
  let site: string;
  let blobDir: string;
  const lateTitle = Promise.withResolvers<string>();
  before(async () => {
    server = createServer(async ({ url = '' }, response) => {
      if (url === '/title') return void response.end(await lateTitle.promise);
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
    const titles = async () => (await frames()).map(({ route: at }) => (at as { title: string }).title);
    const isWatched = async () => {
      const { status } = (await driver.status()) as {
        status: { sessions: { session_id: string; is_watched: boolean }[] };
      };
      return status.sessions.some(({ session_id, is_watched }) => session_id === sessionId && is_watched);
    };
    const go = (path: string) => driver.act({ action: 'navigate', url: site + path }, { epoch });
    return { id, sessionId, epoch, held, driver, frames, titles, isWatched, go };
  }
  /** Two agents record, as in a larger installation. `pass(n)` waits until each has made n more rounds, 200 ms apart. */
  async function whileRecorded(work: (pass: (rounds: number) => Promise<unknown>) => Promise<void>): Promise<void> {
    const { bus, log } = runtime;
    const agents = [countRounds(), countRounds()];
    const two = agents.map(({ count }) =>
      startRecorder({ store: countingClaims(runtime.store, count), bus, log, agentId: newId(), everyMs: 200 }),
    );
    const pass = (rounds: number) => passAll(agents, rounds);
    await work(pass).finally(() => Promise.all(two.map((one) => one.close())));
  }
  const countingClaims = (store: Store, count: () => void): Store => ({
    ...store,
    recorders: {
      ...store.recorders,
      claim: (...given) => {
        count();
        return store.recorders.claim(...given);
      },
    },
  });

  it('has at most two frames a second while its page moves, and none while it is still', async () => {
    const { store } = runtime;
    const { id, sessionId, frames, titles, go } = await working();
    await whileRecorded(async (pass) => {
      await go('/moving');
      await until(async () => (await frames()).length >= 9, 20_000);
      const moving = await frames();
      const times = moving.map(({ recorded_at }) => recorded_at.getTime());
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      console.log(`frames of a moving page: ${moving.length}, ${gaps.join(', ')} ms apart`);
      // Timers may be a millisecond early.
      for (const gap of gaps) assert.ok(gap >= 499, gaps.join(' '));
      const middle = gaps.toSorted((one, other) => one - other)[gaps.length >> 1];
      assert.ok(middle !== undefined && middle < 1500, gaps.join(' '));
      const blobs = await Promise.all(moving.map(({ blob_key }) => store.blobs.get(blob_key ?? '')));
      for (const bytes of blobs) assert.equal(Buffer.from(bytes ?? []).toString('hex', 0, 2), 'ffd8', 'a JPEG');
      const newest = moving.at(-1);
      assert.deepEqual(
        [newest?.task_id, newest?.width, newest?.height, newest?.route],
        [id, 1280, 720, { session: sessionId, page: 'p1', frame: null, url: `${site}/moving`, title: 'Moving' }],
      );
      // The page moves on between the two reads.
      const isNewest = async () => (await store.frames.of(sessionId))?.frame_id === (await frames()).at(-1)?.frame_id;
      await until(isNewest, 5000);

      await go('/still');
      await until(async () => (await titles()).includes('Still'), 10_000);
      // A busy machine may paint it late.
      let settled = 0;
      await until(async () => {
        settled = (await frames()).length;
        await pass(8);
        return (await frames()).length === settled;
      }, 20_000);
      await pass(12);
      assert.equal((await frames()).length, settled, 'a still page adds nothing');
    });
  });

  it('has a frame with the title that its page took after the last change of its picture', async () => {
    const { titles, go } = await working();
    await whileRecorded(async () => {
      await go('/titled-late');
      await until(async () => (await titles()).includes(''), 10_000);
      lateTitle.resolve('Late');
      await until(async () => (await titles()).at(-1) === 'Late', 10_000);
    });
  });

  it('is watched while its task works, and no longer', async () => {
    const { store } = runtime;
    const { sessionId, held, isWatched, frames, go } = await working();
    await whileRecorded(async (pass) => {
      await until(isWatched, 10_000);
      await store.change(sessionId, async (tx) => {
        await store.tasks.move(tx, held, 'fail', { lastError: 'enough' });
        await store.sessions.move(tx, sessionId, 'rest');
      });
      await until(async () => !(await isWatched()), 10_000);
      const before = (await frames()).length;
      await go('/moving');
      await pass(6);
      assert.equal((await frames()).length, before);
    });
  });

  it('is watched, and a session that is not recorded is not watched', async () => {
    const { isWatched, frames, go } = await working({ recording: false });
    await whileRecorded(async (pass) => {
      await go('/moving');
      await pass(6);
      assert.equal(await isWatched(), false);
      assert.deepEqual(await frames(), []);
    });
  });

  it('takes frames only of the host that holds it, and keeps no bytes of private frames', async () => {
    const { sessionId, epoch, frames, isWatched, go } = await working();
    const [holder, other] = [host.hostBus, await runtime.connectAs('r2')];
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
    await whileRecorded(async (pass) => {
      await until(isWatched, 10_000);
      // Its first frames are recorded by now; the following ones are those of this test.
      await until(async () => (await frames()).length > 0, 10_000);
      await pass(5);
      // In several rounds: during the pause after a frame, a newer one takes the place of the one that waits.
      for (let round = 0; round < 4; round += 1) {
        show(other, 'r2', 'not mine to show');
        await pass(1);
      }
      assert.deepEqual(await small(), []);
      show(holder, 'r1', 'one', true);
      await until(async () => (await small()).length === 1, 10_000);
      for (let round = 0; round < 4; round += 1) {
        show(holder, 'r1', 'two', true);
        await pass(1);
      }
      show(holder, 'r1', 'three');
      await until(async () => (await small()).length === 2, 10_000);
      const [hidden, shown] = await small();
      assert.deepEqual([hidden?.private, hidden?.blob_key], [true, null], 'one row for all of them');
      assert.equal(shown?.private, false);
      assert.equal(String(await runtime.store.blobs.get(shown?.blob_key ?? '')), 'three');
      assert.equal((await runtime.store.frames.of(sessionId))?.frame_id, shown?.frame_id);
    });
    await other.close();
  });

  it('is recorded by another agent when the one that records it stops', async () => {
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
