// Files that a person chooses in a page's file chooser: put at the host before the page is told their names. They are
// stored nowhere else.

import { AppError, type GivenFiles } from '@pilothouse/contract';
import type { BrowserHold, HostClient } from '@pilothouse/fleet';
import { noAnswer, notDriver } from './input-errors.ts';

/** A page may be slow. The caller may send the same again after this. */
export const inputMs = 20_000;

export async function putFiles(hosts: HostClient, hold: BrowserHold, files: GivenFiles): Promise<void> {
  for (const { name, content_base64 } of files) {
    // Small enough for one piece.
    const piece = { name, offset: 0, bytes: Buffer.from(content_base64, 'base64') };
    const result = await hosts.putFile(hold, piece, { timeoutMs: inputMs });
    if (result.type === 'unanswered') throw noAnswer();
    if (result.type === 'done') continue;
    if (result.failure === 'stale_epoch') throw notDriver();
    throw new AppError('conflict', { detail: `The file was not taken: ${result.message}` });
  }
}
