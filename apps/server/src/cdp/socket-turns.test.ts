import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSocketTurns } from './socket-turns.ts';

/** What is written to it, in the pieces in which it leaves. */
function openWire() {
  const pieces: string[][] = [];
  const wire = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      pieces.push([chunk]);
      done();
    },
    writev(chunks, done) {
      pieces.push(chunks.map(({ chunk }) => chunk));
      done();
    },
  });
  const turns = createSocketTurns(wire);
  const send = (text: string) => {
    turns.sends(text.length);
    wire.write(text);
  };
  return { pieces, wire, send };
}

describe('what is sent to a program', () => {
  it('leaves in one piece with what is sent in the same turn, and at once with its end', async () => {
    const { pieces, send } = openWire();
    send('one');
    send('two');
    await Promise.resolve();
    send('three');
    await nextTurn();
    send('four');
    await nextTurn();
    assert.deepEqual(pieces, [['one', 'two', 'three'], ['four']]);
  });

  it('is not held back where it is large', async () => {
    const { pieces, wire, send } = openWire();
    const large = 'x'.repeat(300 * 1024);
    send('one');
    send(large);
    assert.equal(wire.writableLength, 0);
    send('two');
    send('three');
    await nextTurn();
    assert.deepEqual(pieces, [['one'], [large], ['two', 'three']]);
    wire.end();
    await once(wire, 'finish');
  });
});
