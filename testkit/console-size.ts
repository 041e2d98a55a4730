// The script that a page of the built console loads before it can be used, and what the script editor adds, compressed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildConsole } from './console-build.ts';
import { root } from './stack/folders.ts';

type Chunk = { file: string; imports?: string[] };
type Load = { bytes: number; kb: number; limitKb: number };
/** `editor` is what is loaded when a person writes a script on this page. */
type PageLoads = Load & { editor: Load };

const limitsKb = { 'auth/login-page': 150, 'home/home-page': 190, 'sessions/session-page': 235 };
const editorLimitKb = 190;
export type MeasuredPage = keyof typeof limitsKb;

/** Builds the console if its sources changed. */
export async function measureFirstLoads(): Promise<Record<MeasuredPage, PageLoads>> {
  await buildConsole();
  const dist = join(root, 'apps/console/dist');
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const filesOf = (name: string): string[] => {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`the built console has no ${name}`);
    return [chunk.file, ...(chunk.imports ?? []).flatMap(filesOf)];
  };
  const loadOf = (files: Iterable<string>, limitKb: number): Load => {
    const sizes = [...files].map((file) => gzipSync(readFileSync(join(dist, file))).length);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    return { bytes, kb: Math.round(bytes / 1024), limitKb };
  };
  const editorFiles = new Set(filesOf('src/compose/script-editor.ts'));
  const measure = (page: string, limitKb: number): PageLoads => {
    const frame = page.startsWith('auth/') ? [] : filesOf('src/frame/app-frame.tsx');
    const files = new Set([...filesOf('index.html'), ...frame, ...filesOf(`src/${page}.tsx`)]);
    return { ...loadOf(files, limitKb), editor: loadOf(editorFiles.difference(files), editorLimitKb) };
  };
  const measured = Object.entries(limitsKb).map(([page, limitKb]) => [page, measure(page, limitKb)]);
  // The keys are those of the limits.
  return Object.fromEntries(measured) as Record<MeasuredPage, PageLoads>;
}
