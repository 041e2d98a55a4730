import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What can be read in pictures. Each is looked at once, however often it comes. */
export async function createPictureReader() {
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-pictures-'));
  const known = new Map<string, string>();
  return {
    async read(image: Buffer): Promise<string> {
      const key = createHash('sha256').update(image).digest('hex');
      const file = join(folder, `${key}.img`);
      if (!known.has(key)) {
        await writeFile(file, image);
        const { stdout } = await run('tesseract', [file, '-', '--psm', '11'], {
          env: { ...process.env, OMP_THREAD_LIMIT: '1' },
        });
        known.set(key, stdout);
      }
      return known.get(key) ?? '';
    },
    count: () => known.size,
    close: () => rm(folder, { recursive: true }),
  };
}
