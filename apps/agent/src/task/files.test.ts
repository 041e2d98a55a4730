import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { filePieceBytes } from '@pilothouse/bus';
import { newId } from '@pilothouse/store';
import { measureHeld } from '@pilothouse/store/testing/held-memory';
import { hostId } from '../../testing/scripted-browsers.ts';
import { type Hosts, scriptBus } from '../../testing/scripted-bus.ts';
import { type BenchTask, click, openBench } from '../../testing/task-bench.ts';
import { FileQuotaExceeded } from '../ledger/evidence.ts';
import { createFiles } from './files.ts';

const handle = { hostId, epoch: 7, openedEpoch: 7 };
const taken = { head: { ok: true, byte_len: 0 }, body: new Uint8Array() };
const refused = (failure: string) => ({
  head: { ok: false, failure, message: 'why', has_touched: false },
  body: new Uint8Array(),
});

describe('files on their way between a browser and the store', () => {
  let bench: Awaited<ReturnType<typeof openBench>>;
  let task: BenchTask;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench?.close());

  async function transfer(file: NonNullable<Hosts['file']>, bytesPerUser = 100 * 1024 ** 2) {
    task = await bench.newTask([click()]);
    const { bus, asked } = scriptBus({ file });
    const at = { task: await task.row(), handle, signal: new AbortController().signal };
    return { files: createFiles({ store: bench.store, bus, bytesPerUser }), at, asked };
  }
  async function keep(name: string, bytes: Uint8Array): Promise<void> {
    const id = newId();
    const blobKey = `sessions/${task.sessionId}/files/${id}`;
    await bench.store.blobs.put(blobKey, bytes);
    const row = { id, task_id: task.id, name, content_type: 'text/plain', byte_len: bytes.length, blob_key: blobKey };
    await bench.store.transaction((tx) => bench.store.files.add(tx, row, 100 * 1024 ** 2));
  }

  it('a download comes in pieces, each from where the last one ended', async () => {
    const whole = Uint8Array.from({ length: 10 }, (_, i) => i);
    const { files, at, asked } = await transfer((_, { head }) => {
      const offset = Number(head.offset);
      return { head: { ok: true, byte_len: 10 }, body: whole.subarray(offset, offset + 4) };
    });
    const file = await files.fetch(at, { file_id: 'f', name: 'a.bin', byte_len: 10 });
    assert.equal(asked.length, 3);
    assert.deepEqual(new Uint8Array((await bench.store.blobs.get(file?.blobKey ?? '')) ?? []), whole);
  });

  it('a download of which a piece is missing is no file', async () => {
    const { files, at } = await transfer(() => refused('not_found'));
    assert.equal(await files.fetch(at, { file_id: 'f', name: 'a.bin', byte_len: 10 }), null);
  });

  it('a download that the host sends no bytes of is no file, and is not asked for without end', async () => {
    const { files, at, asked } = await transfer(() => ({ head: { ok: true, byte_len: 10 }, body: new Uint8Array() }));
    assert.equal(await files.fetch(at, { file_id: 'f', name: 'a.bin', byte_len: 10 }), null);
    assert.equal(asked.length, 1);
  });

  it('a download that would exceed the quota is not fetched at all', async () => {
    const { files, at, asked } = await transfer(() => taken, 5);
    await assert.rejects(files.fetch(at, { file_id: 'f', name: 'a.bin', byte_len: 10 }), FileQuotaExceeded);
    assert.deepEqual(asked, []);
  });

  it('an upload is sent in pieces under the epoch of the agent', async () => {
    const heads: unknown[] = [];
    const { files, at } = await transfer((_, { head }) => {
      heads.push(head);
      return taken;
    });
    await keep('b.bin', new Uint8Array(filePieceBytes + 1));
    assert.equal(await files.send(at, 'b.bin'), undefined);
    assert.deepEqual(heads, [
      { type: 'put', epoch: 7, name: 'b.bin', offset: 0 },
      { type: 'put', epoch: 7, name: 'b.bin', offset: filePieceBytes },
    ]);
  });

  it('an empty file is sent as one empty piece', async () => {
    const { files, at, asked } = await transfer(() => taken);
    await keep('empty.txt', new Uint8Array());
    assert.equal(await files.send(at, 'empty.txt'), undefined);
    assert.equal(asked.length, 1);
  });

  it('a file that nobody gave to the task fails, and the host is not asked', async () => {
    const { files, at, asked } = await transfer(() => taken);
    const outcome = await files.send(at, 'missing.pdf');
    assert.ok(outcome?.type === 'failed' && !outcome.hasTouched);
    assert.deepEqual(asked, []);
  });

  it('an upload to a host that does not answer is a lost browser that cannot have acted', async () => {
    const { files, at } = await transfer(() => 'no_responders');
    await keep('c.txt', new Uint8Array(3));
    assert.deepEqual(await files.send(at, 'c.txt'), {
      type: 'lost',
      reason: 'no_responders',
      mayHaveActed: false,
      isUnheard: false,
    });
  });

  it('an upload under an old epoch is a lost browser, and other refusals fail the step', async () => {
    const { files, at } = await transfer(() => refused('stale_epoch'));
    await keep('d.txt', new Uint8Array(3));
    assert.equal((await files.send(at, 'd.txt'))?.type, 'lost');
    const other = await transfer(() => refused('too_large'));
    await keep('e.txt', new Uint8Array(3));
    const outcome = await other.files.send(other.at, 'e.txt');
    assert.ok(outcome?.type === 'failed' && outcome.failure === 'too_large');
  });

  it('a file of 100 MB is never in memory as a whole, neither on its way in nor out', async () => {
    const size = 100 * 1024 ** 2;
    const held = measureHeld();
    const sent: number[] = [];
    const { files, at } = await transfer((_, { head, body }) => {
      if (sent.length % 8 === 0) held.look();
      sent.push(head.type === 'get' ? filePieceBytes : body.length);
      if (head.type === 'put') return taken;
      return { head: { ok: true, byte_len: size }, body: new Uint8Array(filePieceBytes).fill(sent.length) };
    }, 2 * size);
    const file = await files.fetch(at, { file_id: 'f', name: 'large.bin', byte_len: size });
    assert.equal(await bench.store.blobs.sizeOf(file?.blobKey ?? ''), size);
    const row = {
      task_id: task.id,
      name: 'large.bin',
      content_type: 'x/y',
      byte_len: size,
      blob_key: file?.blobKey ?? '',
    };
    await bench.store.transaction((tx) => bench.store.files.add(tx, { id: newId(), ...row }, 2 * size));
    assert.equal(await files.send(at, 'large.bin'), undefined);
    assert.equal(sent.length, 200);
    assert.equal(
      sent.reduce((sum, length) => sum + length),
      2 * size,
    );
    console.log(`100 MB in and out: ${held.mostMb()} MB held`);
    assert.ok(held.mostMb() < 16, `${held.mostMb()} MB`);
  });
});
