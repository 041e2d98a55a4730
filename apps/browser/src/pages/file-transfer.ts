// Files on their way into a session's browser and out of it, as steps and the bus ask for them.

import type { FileCommand, FileReply, Packed } from '@pilothouse/bus';
import { failureOf, StepFailure } from '../common/failure.ts';
import { createDownloads, type Downloads } from './downloads.ts';
import { defaultFileLimits, type FileLimits } from './file-limits.ts';
import { createUploads, type Uploads } from './uploads.ts';

export type { FileLimits } from './file-limits.ts';

export type Files = Pick<Downloads, 'follow' | 'expect' | 'keep'> &
  Pick<Uploads, 'called'> & {
    answer(command: Packed<FileCommand>): Promise<Packed<FileReply>>;
  };

type Options = {
  /** The session's folder, which its browser can read and not write. */
  folder: string;
  /** The folder into which its browser downloads. */
  downloads: string;
  /** The user that its browser runs as; undefined where that is our own. */
  uid: number | undefined;
  limits?: FileLimits;
  /** Whether the driver of this epoch may drive. */
  isCurrent: (epoch: number) => boolean;
};

export function createFiles(options: Options): Files {
  const { folder, uid: browserUid, limits = defaultFileLimits, isCurrent } = options;
  const uploads = createUploads({ folder, browserUid, limits });
  const downloads = createDownloads({ folder: options.downloads, uid: browserUid ?? process.getuid?.(), limits });

  async function execute({ head, body }: Packed<FileCommand>): Promise<Packed<FileReply>> {
    if (head.type === 'put' && !isCurrent(head.epoch))
      throw new StepFailure('stale_epoch', 'another driver has taken over');
    if (head.type === 'put')
      return { head: { ok: true, byte_len: await uploads.write(head.name, head.offset, body) }, body: none };
    const { bytes, byte_len } = await downloads.read(head.file_id, head.offset);
    return { head: { ok: true, byte_len }, body: bytes };
  }

  return {
    follow: downloads.follow,
    expect: downloads.expect,
    keep: downloads.keep,
    called: uploads.called,
    answer: (command) =>
      execute(command).catch((error) => {
        const { failure, message } = failureOf(error);
        return { head: { ok: false, failure, message, has_touched: false }, body: none };
      }),
  };
}

const none = new Uint8Array();
