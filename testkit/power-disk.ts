// A disk whose power can be cut: a file system of its own, on a loop device, that is stopped at one moment without writing
// anything more. What was written and not synced is lost, as with a real machine. Needs root and Linux.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './stack/daemon.ts';

const run = promisify(execFile);
const sizeBytes = 2 * 1024 ** 3;
/** Processes that were killed hold their files for a moment. */
const freeMs = 20_000;

/** EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH: from now on nothing is written, not even the journal. */
const shutdown = `open(my $f, '<', $ARGV[0]) or die "$!"; my $flags = pack('L', 2); ioctl($f, 0x8004587d, $flags) or die "$!";`;

/** Why this machine cannot have such a disk; undefined where it can. */
export function noPowerDisk(): string | undefined {
  if (process.getuid?.() !== 0) return 'a loop device can be mounted by root only';
  for (const program of ['mkfs.ext4', 'losetup', 'mount', 'perl'])
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) return `${program} is not installed`;
  // Containers may have the device and still forbid to mount it.
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-disk-'));
  const script =
    'cd "$1" && mkdir at && truncate -s 8M img && mkfs.ext4 -q -F img && mount -o loop img at && umount at';
  const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', folder], { encoding: 'utf8', timeout: 30_000 });
  rmSync(folder, { recursive: true, force: true });
  return status === 0 ? undefined : `no loop device: ${stderr.trim()}`;
}

export async function mountPowerDisk(folder: string) {
  const reason = noPowerDisk();
  if (reason) throw new Error(`no disk whose power can be cut: ${reason}`);
  const image = `${folder}.img`;
  await mkdir(folder, { recursive: true });
  await writeFile(image, '');
  await truncate(image, sizeBytes);
  await run('mkfs.ext4', ['-q', '-F', '-E', 'lazy_itable_init=1,lazy_journal_init=1', image]);
  const mount = () => run('mount', ['-o', 'loop', image, folder]);
  async function unmount(): Promise<void> {
    let problem = '';
    const isFree = () =>
      run('umount', [folder]).then(
        () => true,
        (error: Error) => {
          problem = error.message;
          return false;
        },
      );
    if (!(await until(isFree, freeMs, 200))) throw new Error(`the disk is still in use: ${problem}`);
  }
  await mount();

  return {
    /** Everything that was written so far survives. */
    sync: () => run('sync', ['--file-system', folder]),
    /** Every later read and write fails. */
    cutPower: () => run('perl', ['-e', shutdown, folder]),
    /** The disk as it is after the cut. No process may use it at this time. */
    async restorePower(): Promise<void> {
      await unmount();
      await mount();
    },
    async close(): Promise<void> {
      await unmount();
      await rm(image, { force: true });
    },
  };
}
export type PowerDisk = Awaited<ReturnType<typeof mountPowerDisk>>;
