import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { buildConsole } from '../testkit/console-build.ts';
import { root } from '../testkit/stack/folders.ts';

type Chunk = { file: string; css?: string[]; imports?: string[]; dynamicImports?: string[] };

const dist = join(root, 'apps/console/dist');
let manifest: Record<string, Chunk>;

before(async () => {
  await buildConsole();
  manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
});

function filesOf(name: string): string[] {
  const chunk = manifest[name];
  assert.ok(chunk, name);
  return [chunk.file, ...(chunk.imports ?? []).flatMap(filesOf)];
}

const sizeOf = (files: Iterable<string>) =>
  [...files].map((file) => gzipSync(readFileSync(join(dist, file))).length).reduce((a, b) => a + b, 0);

function filesOfPage(page: string): Set<string> {
  const frame = page.startsWith('auth/') ? [] : filesOf('src/frame/app-frame.tsx');
  return new Set([...filesOf('index.html'), ...frame, ...filesOf(`src/${page}.tsx`)]);
}

it('the first load of login, home and session stays within its script size', { timeout: 120_000 }, () => {
  const most = { 'auth/login-page': 150, 'home/home-page': 190, 'sessions/session-page': 235 };
  for (const [page, limitKb] of Object.entries(most)) {
    const bytes = sizeOf(filesOfPage(page));
    console.log(`${page}: ${Math.round(bytes / 1024)} KB`);
    assert.ok(bytes <= limitKb * 1024, `${page} has ${bytes} bytes`);
  }
});

it('the script editor is a chunk of its own within its size, and no page loads it at first', () => {
  const editor = filesOf('src/compose/script-editor.ts');
  for (const page of ['auth/login-page', 'home/home-page', 'sessions/session-page']) {
    const first = filesOfPage(page);
    assert.ok(!first.has(editor[0] ?? ''), page);
    const bytes = sizeOf(editor.filter((file) => !first.has(file)));
    console.log(`editor after ${page}: ${Math.round(bytes / 1024)} KB`);
    assert.ok(bytes <= 190 * 1024, `the editor has ${bytes} bytes`);
  }
});
