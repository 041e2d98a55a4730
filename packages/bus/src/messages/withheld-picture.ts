// The picture that is shown in place of a private one: of the same size, and otherwise always the same.

import { crc32, deflateSync } from 'node:zlib';

export type WithheldPicture = { content_type: 'image/png'; image: Buffer };

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const shades = Buffer.from([0x2b, 0x2f, 0x36, 0x33, 0x38, 0x40]);
const stripePx = 24;
/** Pages have few sizes, and these pictures are small. */
const maxKept = 50;
const maxSidePx = 8192;
const kept = new Map<string, Buffer>();

/** Dark stripes. */
export function withheldPicture({ width, height }: { width: number; height: number }): WithheldPicture {
  const [columns, rows] = [sideOf(width), sideOf(height)];
  const key = `${columns} ${rows}`;
  const image = kept.get(key) ?? draw(columns, rows);
  if (kept.size >= maxKept) kept.clear();
  kept.set(key, image);
  return { content_type: 'image/png', image };
}

const sideOf = (length: number) => Math.min(maxSidePx, Math.max(1, Math.round(length)));

/** A PNG with two colours: one bit a pixel. */
function draw(columns: number, rows: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(columns, 0);
  header.writeUInt32BE(rows, 4);
  header.set([1, 3, 0, 0, 0], 8);
  const rowBytes = Math.ceil(columns / 8);
  const pixels = Buffer.alloc(rows * (1 + rowBytes));
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      const at = y * (1 + rowBytes) + 1 + (x >> 3);
      const isLight = Math.floor((x + y) / stripePx) % 2 === 1;
      if (isLight) pixels[at] = (pixels[at] ?? 0) | (0x80 >> (x & 7));
    }
  }
  const parts: [type: string, data: Buffer][] = [
    ['IHDR', header],
    ['PLTE', shades],
    ['IDAT', deflateSync(pixels)],
    ['IEND', Buffer.alloc(0)],
  ];
  return Buffer.concat([pngSignature, ...parts.map(([type, data]) => chunk(type, data))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'ascii'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
