import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sampleFrame } from '../../testing/frame.ts';
import { DecodeError } from '../wire/codec.ts';
import { decodeFrame, encodeFrame } from './frames.ts';

test('a frame comes back as it was, its picture without a copy', () => {
  const sent = sampleFrame({ imageBytes: 100_000 });
  const bytes = encodeFrame(sent);
  const { header, image } = decodeFrame(bytes);
  assert.deepEqual(header, sent.header);
  assert.ok(Buffer.from(sent.image).equals(image));
  assert.equal(image.buffer, bytes.buffer);
});

test('a page with an endless address or title still shows its frames', () => {
  const sent = sampleFrame();
  sent.header.url = `data:text/html,${'x'.repeat(3_000_000)}`;
  sent.header.title = '\u{1F6A2}'.repeat(100_000).slice(1);
  const { header } = decodeFrame(encodeFrame(sent));
  assert.ok(header.url?.startsWith('data:text/html,xxx'));
  assert.ok((header.title ?? '').isWellFormed());
});

test('whatever bytes arrive, decoding yields a frame or a DecodeError', () => {
  const good = encodeFrame(sampleFrame());
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    // A true frame, cut short.
    fc.nat(good.length).map((end) => good.subarray(0, end)),
    // A true frame with one byte changed.
    fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, value]) => Buffer.from(good).fill(value, at, at + 1)),
    // A true length before any JSON.
    fc.json().map((text) => {
      const head = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(head.length);
      return Buffer.concat([length, head, Buffer.from([1])]);
    }),
  );
  fc.assert(
    fc.property(hostile, (bytes) => {
      try {
        const { header, image } = decodeFrame(bytes);
        assert.ok(header.width > 0 && image.length > 0);
      } catch (error) {
        assert.ok(error instanceof DecodeError, String(error));
      }
    }),
    { numRuns: 2000 },
  );
});

test('a header that claims four gigabytes is refused without reading it', () => {
  assert.throws(() => decodeFrame(Buffer.from([255, 255, 255, 255, 1])), DecodeError);
});
