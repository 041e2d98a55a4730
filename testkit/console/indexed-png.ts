// Makes the PNG of a screenshot small: at most 256 colours, those that are seen most. Never for pictures that are compared.

import { crc32, deflateSync, inflateSync } from 'node:zlib';

type Image = { width: number; height: number; channels: number; pixels: Buffer };
const signature = Buffer.from('89504e470d0a1a0a', 'hex');

export function toIndexedPng(png: Buffer): Buffer {
  const image = decode(png);
  const { palette, indexOf } = choosePalette(image);
  const { width, height, channels, pixels } = image;
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      rows[y * (width + 1) + x + 1] = indexOf(colourAt(pixels, (y * width + x) * channels));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => partsOf(colour)));
  const parts = [chunk('IHDR', header), chunk('PLTE', colours), chunk('IDAT', deflateSync(rows, { level: 9 }))];
  return Buffer.concat([signature, ...parts, chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

/** Eight bits a channel, red, green and blue with or without alpha, not interlaced: what Chromium writes. */
function decode(png: Buffer): Image {
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  if (png[24] !== 8 || (png[25] !== 2 && png[25] !== 6) || png[28] !== 0) throw new Error('no PNG of this kind');
  return { width, height, channels, pixels: unfilter(inflateSync(Buffer.concat(data)), width * channels, channels) };
}

/** Each row begins with the kind of its filter. */
function unfilter(raw: Buffer, stride: number, channels: number): Buffer {
  const height = raw.length / (stride + 1);
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0);
      const up = y === 0 ? 0 : (pixels[at - stride] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (pixels[at - stride - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[at] = (raw[y * (stride + 1) + x + 1] ?? 0) + guess;
    }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

const colourAt = (pixels: Buffer, at: number): number =>
  ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
const partsOf = (colour: number): [number, number, number] => [colour >> 16, (colour >> 8) & 255, colour & 255];

function distance(one: number, other: number): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
}

/** The colours that are seen most, none too near to another, so that edges of letters find one of their own. */
function choosePalette({ channels, pixels }: Image) {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = colourAt(pixels, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const byCount = [...counts].toSorted((one, other) => other[1] - one[1]).map(([colour]) => colour);
  const palette: number[] = [];
  for (const nearest of [150, 60, 0])
    for (const colour of byCount.slice(0, 4000)) {
      if (palette.length === 256) break;
      if (palette.every((chosen) => distance(chosen, colour) > nearest)) palette.push(colour);
    }
  const known = new Map<number, number>();
  const indexOf = (colour: number): number => {
    const found = known.get(colour);
    if (found !== undefined) return found;
    let best = 0;
    for (let index = 1; index < palette.length; index += 1)
      if (distance(palette[index] ?? 0, colour) < distance(palette[best] ?? 0, colour)) best = index;
    known.set(colour, best);
    return best;
  };
  return { palette, indexOf };
}
