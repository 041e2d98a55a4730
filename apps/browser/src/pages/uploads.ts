// Files on their way into a session's browser, which can read them and not write them.

import { chmod, chown, type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { StepFailure } from '../common/failure.ts';
import { type FileLimits, tooLarge, tooMany } from './file-limits.ts';

export type Uploads = {
  /** Resolves with how many bytes the file has now. */
  write(name: string, offset: number, bytes: Uint8Array): Promise<number>;
  /** The path of a file that was put by this name. */
  called(name: string): string | undefined;
};

/** `browserUid`: the user that the browser runs as; undefined where that is our own. */
type Options = { folder: string; browserUid: number | undefined; limits: FileLimits };

export function createUploads({ folder, browserUid, limits }: Options): Uploads {
  const uploads = join(folder, 'uploads');
  const put = new Set<string>();
  let hasUploads = false;

  /** Ours, and readable by the user of this browser only: other browsers share the machine. */
  async function openFolder(): Promise<void> {
    await mkdir(uploads, { recursive: true, mode: 0o700 });
    if (browserUid !== undefined) {
      await chown(uploads, process.getuid?.() ?? 0, browserUid);
      await chmod(uploads, 0o750);
    }
    hasUploads = true;
  }

  async function begin(path: string, bytes: Uint8Array): Promise<void> {
    const file = await open(path, 'w', 0o600);
    try {
      if (browserUid !== undefined) {
        await file.chown(process.getuid?.() ?? 0, browserUid);
        await file.chmod(0o640);
      }
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
  }

  return {
    async write(name, offset, bytes) {
      if (!put.has(name) && put.size >= limits.files) throw tooMany();
      if (offset + bytes.length > limits.fileBytes) throw tooLarge();
      if (!hasUploads) await openFolder();
      const path = join(uploads, name);
      put.add(name);
      if (offset === 0) await begin(path, bytes);
      else await appendAt(await open(path, 'r+'), offset, bytes);
      return offset + bytes.length;
    },
    called: (name) => (put.has(name) ? join(uploads, name) : undefined),
  };
}

async function appendAt(file: FileHandle, offset: number, bytes: Uint8Array): Promise<void> {
  try {
    const { size } = await file.stat();
    if (size !== offset) throw new StepFailure('unsupported', 'a piece of the file is missing');
    await file.write(bytes, 0, bytes.length, offset);
  } finally {
    await file.close();
  }
}
