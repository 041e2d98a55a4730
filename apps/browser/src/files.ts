// Files on their way into a session's browser and out of it. What the browser wrote is not trusted: it runs pages of
// strangers, and we may be root. So only a plain file of its own user is read, and never through a link.

import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_PIECE_BYTES, type FileCommand, type FileReply, type Packed, type StoredFile } from '@pilothouse/bus';
import type { Download, Page } from 'playwright-core';
import { type Deadline, pause, within } from './deadline.ts';
import { failureOf, StepFailure } from './failure.ts';
import { newId } from './id.ts';

const POLL_MS = 100;

export type FileLimits = { fileBytes: number; files: number };
const defaultFileLimits: FileLimits = { fileBytes: 100 * 1024 * 1024, files: 50 };

export type Files = {
  follow(page: Page): void;
  /** The next download of the page is wanted; all others are refused. */
  expect(page: Page): { begun: Promise<Download>; close(): void };
  /** Waits until it is complete, within the limits. */
  keep(download: Download, deadline: Deadline): Promise<StoredFile>;
  /** Where a file that was put by this name lies. */
  called(name: string): string | undefined;
  answer(command: Packed<FileCommand>): Promise<Packed<FileReply>>;
};

type Options = {
  /** The session's folder, which its browser can read and not write. */
  folder: string;
  /** Where its browser puts what it downloads. */
  downloads: string;
  /** The user its browser runs as; undefined where that is our own. */
  uid: number | undefined;
  limits?: FileLimits;
  /** Whether whoever has this epoch may drive. */
  isCurrent: (epoch: number) => boolean;
};

export function createFiles({
  folder,
  downloads,
  uid = process.getuid?.(),
  limits = defaultFileLimits,
  isCurrent,
}: Options): Files {
  const uploads = join(folder, 'uploads');
  const kept = new Map<string, { path: string; byteLen: number }>();
  const expected = new Map<Page, (download: Download) => void>();
  const put = new Set<string>();

  function follow(page: Page): void {
    page.on('download', (download) => {
      const want = expected.get(page);
      expected.delete(page);
      if (want) want(download);
      // Nobody asked for it, and it would fill the disk.
      else void drop(download);
    });
  }

  async function keep(download: Download, deadline: Deadline): Promise<StoredFile> {
    const path = download.path();
    path.catch(() => undefined);
    try {
      if (kept.size >= limits.files) throw tooMany();
      const done = await within(deadline, Promise.race([path, watchSize(deadline)]));
      const byteLen = await readPiece(done, 0, 0).then(({ byte_len }) => byte_len);
      if (byteLen > limits.fileBytes) throw tooLarge();
      const file_id = newId();
      kept.set(file_id, { path: done, byteLen });
      return { file_id, name: nameOf(download), byte_len: byteLen };
    } catch (error) {
      await drop(download);
      throw error;
    }
  }

  /** The library tells of a download only when it is complete, which may be too late for the disk. */
  async function watchSize(deadline: Deadline): Promise<never> {
    while (!deadline.isOver()) {
      await pause(POLL_MS, deadline);
      if ((await largest(downloads)) > limits.fileBytes) throw tooLarge();
    }
    throw new StepFailure('timeout', 'the download did not come to its end');
  }

  async function readPiece(path: string, offset: number, maxBytes: number) {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile() || found.nlink !== 1 || found.uid !== uid) throw new StepFailure('not_found', 'not a file');
      const bytes = Buffer.alloc(Math.max(0, Math.min(maxBytes, found.size - offset)));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      return { byte_len: found.size, bytes: bytes.subarray(0, bytesRead) };
    } finally {
      await file.close();
    }
  }

  async function write(name: string, offset: number, bytes: Uint8Array): Promise<number> {
    if (!put.has(name) && put.size >= limits.files) throw tooMany();
    if (offset + bytes.length > limits.fileBytes) throw tooLarge();
    await mkdir(uploads, { recursive: true, mode: 0o755 });
    const path = join(uploads, name);
    put.add(name);
    if (offset === 0) await writeFile(path, bytes, { mode: 0o644 });
    else await appendAt(await open(path, 'r+'), offset, bytes);
    return offset + bytes.length;
  }

  return {
    follow,
    expect(page) {
      const { promise, resolve } = Promise.withResolvers<Download>();
      expected.set(page, resolve);
      return { begun: promise, close: () => void expected.delete(page) };
    },
    keep,
    called: (name) => (put.has(name) ? join(uploads, name) : undefined),
    async answer({ head, body }) {
      try {
        if (head.type === 'put' && !isCurrent(head.epoch))
          throw new StepFailure('stale_epoch', 'somebody else drives now');
        if (head.type === 'put')
          return { head: { ok: true, byte_len: await write(head.name, head.offset, body) }, body: none };
        const file = kept.get(head.file_id);
        if (!file) throw new StepFailure('not_found', 'there is no such file');
        const { bytes, byte_len } = await readPiece(file.path, head.offset, FILE_PIECE_BYTES);
        return { head: { ok: true, byte_len }, body: bytes };
      } catch (error) {
        const { failure, message } = failureOf(error);
        return { head: { ok: false, failure, message, has_touched: false }, body: none };
      }
    },
  };
}

async function largest(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      lstat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return Math.max(0, ...sizes);
}

const none = new Uint8Array();
const tooLarge = () => new StepFailure('too_large', 'the file is larger than this host takes');
const tooMany = () => new StepFailure('too_large', 'the session has as many files as this host takes');

async function appendAt(file: FileHandle, offset: number, bytes: Uint8Array): Promise<void> {
  try {
    const { size } = await file.stat();
    if (size !== offset) throw new StepFailure('unsupported', 'a piece of the file is missing');
    await file.write(bytes, 0, bytes.length, offset);
  } finally {
    await file.close();
  }
}

async function drop(download: Download): Promise<void> {
  // It may be over, or its page gone; nothing of it is wanted either way.
  await download.cancel().catch(() => undefined);
  await download.delete().catch(() => undefined);
}

/** What the page calls it becomes the name of a file elsewhere: only its last part, and nothing unprintable. */
function nameOf(download: Download): string {
  const last = download.suggestedFilename().split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .slice(0, 200);
  return clean === '' || clean === '.' || clean === '..' ? 'download' : clean;
}
