// Files that a session's browser downloaded. They are not trusted: the browser runs pages of strangers, and we may be
// root. So only a plain file of the browser's own user is read, and never through a link.

import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { filePieceBytes, type StoredFile } from '@pilothouse/bus';
import type { Download, Page } from 'playwright-core';
import { bestEffort, handledLater } from '../common/best-effort.ts';
import { type Deadline, pause, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import { newId } from '../common/id.ts';
import { type FileLimits, tooLarge, tooMany } from './file-limits.ts';

const pollMs = 100;

export type Downloads = {
  follow(page: Page): void;
  /** The next download of the page is wanted; all others are refused. */
  expect(page: Page): { begun: Promise<Download>; close(): void };
  /** Waits until it is complete, within the limits. */
  keep(download: Download, deadline: Deadline): Promise<StoredFile>;
  /** A piece of a kept file, and the size of the whole. */
  read(fileId: string, offset: number): Promise<{ byte_len: number; bytes: Uint8Array }>;
};

/** `folder`: where the browser writes; `uid`: the user it runs as. */
type Options = { folder: string; uid: number | undefined; limits: FileLimits };

export function createDownloads({ folder, uid, limits }: Options): Downloads {
  const kept = new Map<string, { path: string; byteLen: number }>();
  const expected = new Map<Page, (download: Download) => void>();

  /** Playwright reports a download only when it is complete, which may be too late for the disk. */
  async function watchSize(deadline: Deadline): Promise<never> {
    while (!deadline.isOver()) {
      await pause(pollMs, deadline);
      if ((await largest(folder)) > limits.fileBytes) throw tooLarge();
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

  return {
    follow(page) {
      page.on('download', (download) => {
        const want = expected.get(page);
        expected.delete(page);
        if (want) want(download);
        // No step asked for it, and it would fill the disk.
        else void drop(download);
      });
    },
    expect(page) {
      const { promise, resolve } = Promise.withResolvers<Download>();
      expected.set(page, resolve);
      return { begun: promise, close: () => void expected.delete(page) };
    },
    async keep(download, deadline) {
      const path = download.path();
      handledLater(path);
      deadline.note('waiting for the download to complete');
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
    },
    async read(fileId, offset) {
      const file = kept.get(fileId);
      if (!file) throw new StepFailure('not_found', 'there is no such file');
      return readPiece(file.path, offset, filePieceBytes);
    },
  };
}

async function largest(folder: string): Promise<number> {
  const names = (await bestEffort('list the downloads', readdir(folder))) ?? [];
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

async function drop(download: Download): Promise<void> {
  // It may be over, or its page gone; nothing of it is wanted either way.
  await bestEffort('cancel a download', download.cancel());
  await bestEffort('delete a download', download.delete());
}

/** The page's name for it becomes the name of a file elsewhere: only its last part, and nothing unprintable. */
function nameOf(download: Download): string {
  const last = download.suggestedFilename().split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .slice(0, 200);
  return clean === '' || clean === '.' || clean === '..' ? 'download' : clean;
}
