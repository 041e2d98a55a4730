// Puts a large blob into a bucket, reads it again, and says how much memory each took: a process of its own, where no other test has
// left room that would be used again and not be seen.

import { openS3Blobs } from '../src/blobs/s3-blobs.ts';
import type { Bucket } from '../src/blobs/s3-requests.ts';
import { measureHeld } from './held-memory.ts';

const mb = 1024 ** 2;
/** Between two looks. */
const lookBytes = 4 * mb;
const piece = Buffer.alloc(64 * 1024, 7);
const [given = '', sizeMb = ''] = process.argv.slice(2);
const size = Number(sizeMb) * mb;

// The test has it from the server that it started.
const blobs = await openS3Blobs(JSON.parse(given) as Bucket);
// The library and its connections are there, as in a process that works.
await blobs.write('warm', pieces(mb), mb);
await readAll('warm');
const written = measureHeld();
await blobs.write('large', pieces(size, written.look), size);
const read = measureHeld();
const readBytes = await readAll('large', read.look);
console.log(JSON.stringify({ readBytes, written: figuresOf(written), read: figuresOf(read) }));
blobs.close();

function figuresOf({ mostMb, mostResidentMb }: ReturnType<typeof measureHeld>) {
  return { heldMb: mostMb(), residentMb: mostResidentMb() };
}

/** The same bytes again and again: what is held beside them is the driver's. */
async function* pieces(bytes: number, look = () => {}) {
  for (let sent = 0; sent < bytes; sent += piece.byteLength) {
    if (sent % lookBytes === 0) look();
    yield piece;
  }
}

async function readAll(key: string, look = () => {}): Promise<number> {
  let sum = 0;
  let looked = 0;
  for await (const { byteLength } of blobs.read(key)) {
    sum += byteLength;
    if (sum - looked < lookBytes) continue;
    looked = sum;
    look();
  }
  return sum;
}
