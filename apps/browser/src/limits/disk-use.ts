// How much of the disk lies under a folder.

import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

const blockBytes = 512;

/**
 * What was counted by the time it is more than `most`: a browser that writes many small files must not keep us busy. A
 * file weighs at least a block, so that also empty ones come to an end. Links are not followed.
 */
export async function diskBytesUnder(folder: string, most: number): Promise<number> {
  let bytes = 0;
  const waiting = [folder];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    // What goes away meanwhile takes nothing.
    const entries = await opendir(path).catch(() => undefined);
    if (!entries) continue;
    for await (const entry of entries) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) waiting.push(child);
      const stat = await lstat(child).catch(() => undefined);
      bytes += Math.max(stat?.blocks ?? 0, 1) * blockBytes;
      if (bytes > most) return bytes;
    }
  }
  return bytes;
}
