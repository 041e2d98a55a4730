import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildConsole } from '../testkit/console-build.ts';
import { root } from '../testkit/stack/folders.ts';

type Chunk = { file: string; imports?: string[] };

it('the first load of login, home and session stays within its script size', { timeout: 120_000 }, async () => {
  await buildConsole();
  const dist = join(root, 'apps/console/dist');
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const filesOf = (name: string): string[] => {
    const chunk = manifest[name];
    assert.ok(chunk, name);
    return [chunk.file, ...(chunk.imports ?? []).flatMap(filesOf)];
  };
  const most = { 'auth/login-page': 150, 'home/home-page': 190, 'sessions/session-page': 235 };
  for (const [page, limitKb] of Object.entries(most)) {
    const frame = page.startsWith('auth/') ? [] : filesOf('src/frame/app-frame.tsx');
    const files = new Set([...filesOf('index.html'), ...frame, ...filesOf(`src/${page}.tsx`)]);
    const bytes = [...files].map((file) => gzipSync(readFileSync(join(dist, file))).length).reduce((a, b) => a + b, 0);
    console.log(`${page}: ${Math.round(bytes / 1024)} KB`);
    assert.ok(bytes <= limitKb * 1024, `${page} has ${bytes} bytes`);
  }
});
