import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { type Bytes, bytesOf, Pictures } from './embedded.ts';

/** Comes in pieces of this length. */
const inPieces = (bytes: Buffer, length: number): Bytes => ({
  byteLength: bytes.length,
  heldBytes: 0,
  async *read() {
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
  },
});

describe('a reply with pictures', () => {
  it('has the same bytes as with the pictures as text, in pieces of any size', async () => {
    for (const length of [0, 1, 2, 3, 48 * 1024, 48 * 1024 + 1, 200_000])
      for (const piece of [1000, 3000, 65_536]) {
        const [one, two] = [randomBytes(length), randomBytes(10)];
        const pictures = new Pictures();
        const reply = (first: string, second: string) => ({ title: 'Ü "x"', items: [{ second }, { first }] });
        const embedded = reply(pictures.embed(inPieces(one, piece)), pictures.embed(bytesOf(two)));
        const { body, byteLength } = pictures.into(JSON.stringify(embedded));
        const written = await text(body);
        assert.deepEqual(JSON.parse(written), reply(one.toString('base64'), two.toString('base64')));
        assert.equal(Buffer.byteLength(written), byteLength);
      }
  });
});
