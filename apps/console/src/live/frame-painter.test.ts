import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytesOf, createFramePainter } from './frame-painter.ts';

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));

function createScreen() {
  const painted: string[] = [];
  const failed: string[] = [];
  let alive = 0;
  let mostAlive = 0;
  const gates: (() => void)[] = [];
  const close = () => {
    alive -= 1;
  };
  const painter = createFramePainter({
    canvas: { width: 0, height: 0, getContext: () => ({ drawImage: () => {} }) },
    decode: async (bytes) => {
      await new Promise<void>((resolve) => gates.push(resolve));
      if (bytes.length === 0) throw new Error('not a picture');
      alive += 1;
      mostAlive = Math.max(mostAlive, alive);
      return { width: 4, height: 3, close: () => close() };
    },
    requestFrame: (paint) => setImmediate(paint),
    onPainted: (id) => painted.push(id),
    onFailed: (id) => failed.push(id),
  });
  const show = (id: string, bytes = new Uint8Array([1])) =>
    painter.show({ id, contentType: 'image/jpeg', bytes: () => bytes });
  const finish = async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      gates.shift()?.();
      await tick();
    }
  };
  return { painter, painted, failed, show, finish, alive: () => alive, mostAlive: () => mostAlive };
}

describe('a painter of frames', () => {
  it('paints the first and the newest of what came meanwhile, with one bitmap alive', async () => {
    const screen = createScreen();
    for (const id of ['1', '2', '3', '4']) {
      screen.show(id);
      await tick();
    }
    await screen.finish();
    assert.deepEqual(screen.painted, ['1', '4']);
    assert.equal(screen.mostAlive(), 1);
    assert.equal(screen.alive(), 0);
  });

  it('does not decode what is shown already, and goes on after a picture that is none', async () => {
    const screen = createScreen();
    screen.show('1');
    await screen.finish();
    screen.show('1');
    screen.show('broken', new Uint8Array());
    await screen.finish();
    screen.show('2');
    await screen.finish();
    assert.deepEqual(screen.painted, ['1', '2']);
    assert.deepEqual(screen.failed, ['broken']);
  });

  it('paints nothing after close', async () => {
    const screen = createScreen();
    screen.show('1');
    await tick();
    screen.painter.close();
    await screen.finish();
    assert.deepEqual(screen.painted, []);
    assert.equal(screen.alive(), 0);
  });
});

it('a picture of the decoder is drawn in its own size, and both are closed', async () => {
  const drawn: unknown[] = [];
  const closed: string[] = [];
  const image = { displayWidth: 4, displayHeight: 3, close: () => closed.push('image') };
  class Decoder {
    decode = async () => ({ image });
    close = () => closed.push('decoder');
  }
  Object.assign(globalThis, { ImageDecoder: Decoder });
  try {
    const canvas = { width: 0, height: 0, getContext: () => ({ drawImage: (one: unknown) => drawn.push(one) }) };
    const painter = createFramePainter({ canvas, requestFrame: (paint) => setImmediate(paint) });
    painter.show({ id: '1', contentType: 'image/jpeg', bytes: () => new Uint8Array([1]) });
    while (closed.length < 2) await tick();
    assert.deepEqual([canvas.width, canvas.height], [4, 3]);
    assert.deepEqual(drawn, [image]);
    assert.deepEqual(closed, ['decoder', 'image']);
  } finally {
    Reflect.deleteProperty(globalThis, 'ImageDecoder');
  }
});

it('base64 becomes its bytes', () => {
  assert.deepEqual([...bytesOf(Buffer.from([0, 255, 16]).toString('base64'))], [0, 255, 16]);
});
