// Where tests write: in memory, where the machine has enough of it. Every stack has a database, streams and blobs, and every browser
// a profile; a disk that others use too makes all of them wait at once, which is no property of what is tested. Benches and
// the full chaos runs write to the disk.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Several times of what two files at once were seen to use. */
const neededBytes = 8 * 2 ** 30;

/** Sets the variables by which this process and its children find the folder. It is removed when this process ends. */
export function makeTestFolder(): void {
  // Short: Chromium puts a socket far below it, whose path may have 107 characters.
  const folder = mkdtempSync(join(hasMemory() ? memory : tmpdir(), 'ph-'));
  // Services and whoever a test starts as another user write here too.
  chmodSync(folder, 0o1777);
  const stacks = join(folder, 'stacks');
  mkdirSync(stacks);
  Object.assign(process.env, { TMPDIR: folder, TEST_STACKS_DIR: stacks });
  // Also where the work is interrupted, which ends this process.
  process.once('exit', () => {
    const left = [...readdirSync(folder), ...readdirSync(stacks)].filter((name) => name !== 'stacks');
    if (left.length > 0) console.log(`left behind by tests: ${left.join(', ')}`);
    rmSync(folder, { recursive: true, force: true });
  });
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, freemem()) >= neededBytes;
  } catch {
    return false;
  }
}
