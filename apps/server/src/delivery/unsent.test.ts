import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { makeObservation, makeTask } from '../../testing/tasks.ts';
import { registerUser } from '../../testing/users.ts';

const megabyte = 1024 * 1024;
/** More than the kernel takes for a peer that reads nothing. */
const large = randomBytes(24 * megabyte);
const stallMs = 10_000;
/** Added by the look every second and by a busy machine. */
const graceMs = 4000;

describe('answers that the peer does not read', () => {
  let server: TestServer;
  before(async () => {
    const unsent = { perUserBytes: 8 * megabyte, perAddressBytes: 12 * megabyte };
    server = await startTestServer({ isAuthDisabled: false, unsent });
  });
  after(() => server.close());

  const newUser = () => registerUser(server);
  /** A user who has something large of every kind. */
  async function newOwner() {
    const owner = await newUser();
    const task = await makeTask(server.store, { owner: { id: owner.id, role: 'user' } });
    const observation = await makeObservation(server.store, task, { image: large });
    const path = `/api/tasks/${task.id}/observations/${observation}/image`;
    return { ...owner, task, path };
  }
  /** Asks, and reads nothing. */
  function ask(path: string, headers: Record<string, string>): Socket & { closedAfterMs?: number } {
    const socket: Socket & { closedAfterMs?: number } = connect(Number(new URL(server.baseUrl).port), '127.0.0.1');
    const begun = performance.now();
    const lines = Object.entries({ host: '127.0.0.1', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.on('error', () => {});
    socket.on('close', () => {
      socket.closedAfterMs = performance.now() - begun;
    });
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return socket;
  }
  /** A peer that does not read does not see the end; a byte on the closed connection does. */
  const poke = (socket: Socket) => socket.write('\r\n');
  const read = (path: string, headers: Record<string, string>) => fetch(server.baseUrl + path, { headers });
  async function statusOf({ path, headers }: { path: string; headers: Record<string, string> }): Promise<number> {
    const { status, body } = await read(path, headers);
    await body?.cancel();
    return status;
  }

  it('are cut when the peer reads nothing for ten seconds, of every kind; a slow reader is not cut', async () => {
    const owner = await newOwner();
    const { session } = await owner.client.createSession();
    await server.store.blobs.put(`sessions/${session.id}/frame`, large);
    await server.store.change(session.id, async (tx, append) => {
      const { seq, recordedAt } = await append({ kind: 'status', data: { session: { id: session.id } } });
      await server.store.frames.put(tx, {
        session_id: session.id,
        frame_id: newId(),
        seq,
        recorded_at: recordedAt,
        content_type: 'image/png',
        width: 1,
        height: 1,
        device_scale: 1,
        route: JSON.stringify({ session: session.id, page: null, frame: null, url: null, title: null }),
        blob_key: `sessions/${session.id}/frame`,
        byte_len: large.length,
        private: false,
      });
    });
    const asked = [
      owner.path,
      `/api/tasks/${owner.task.id}/screenshot`,
      `/api/tasks/${owner.task.id}/screenshot?format=json`,
      `/api/sessions/${session.id}`,
    ].map((path) => ask(path, owner.headers));
    const slow = ask(owner.path, owner.headers);
    let taken = 0;
    const begun = performance.now();
    while (performance.now() - begun < stallMs + graceMs) {
      taken += (slow.read() as Buffer | null)?.length ?? 0;
      // Slow is what this reader has to be: it reads a little in each of several looks of the server.
      await sleep(1500);
      if (performance.now() - begun < stallMs - 2000) continue;
      for (const socket of asked) poke(socket);
    }
    // The cut itself is not seen by a peer that does not read, so it goes on poking.
    await until(() => {
      for (const socket of asked) poke(socket);
      return asked.every(({ closedAfterMs }) => closedAfterMs !== undefined);
    }, 30_000);
    // A lower bound: a busy machine cuts later, and never sooner.
    for (const { closedAfterMs = 0 } of asked) assert.ok(closedAfterMs > stallMs - 1000, `after ${closedAfterMs} ms`);
    assert.equal(slow.closedAfterMs, undefined, `the slow one read ${taken} bytes and is still served`);
    assert.ok(taken > 0);
    let whole = taken;
    slow.on('data', (chunk: Buffer) => {
      whole += chunk.length;
    });
    slow.resume();
    await until(() => whole > large.length, 30_000);
    slow.destroy();
  });

  it('count for their user and are refused over the bound until they are over; other users are answered', async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const sockets = Array.from({ length: 40 }, () => ask(owner.path, owner.headers));
    await until(async () => (await statusOf(owner)) === 503, 30_000);
    const refused = await read(owner.path, owner.headers);
    assert.equal(((await refused.json()) as { code: string }).code, 'overloaded');
    assert.equal(refused.headers.get('retry-after'), '2');
    assert.equal((await read(`/api/sessions/${owner.task.session_id}/live`, owner.headers)).status, 503);
    assert.equal((await read(`/api/tasks/${owner.task.id}/status`, owner.headers)).status, 200, 'what is small is not');
    const image = await read(other.path, other.headers);
    assert.deepEqual(Buffer.from(await image.arrayBuffer()), large);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await statusOf(owner)) === 200, 30_000);
  });

  it('count for their address, for all its users together', async () => {
    const owners = await Promise.all(Array.from({ length: 3 }, newOwner));
    const sockets = owners.flatMap(({ path, headers }) => Array.from({ length: 18 }, () => ask(path, headers)));
    const last = await newOwner();
    await until(async () => (await statusOf(last)) === 503, 30_000);
    for (const socket of sockets) socket.destroy();
  });
});
