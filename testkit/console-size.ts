// The script that a page of the built console loads before it can be used, compressed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildConsole } from './console-build.ts';
import { root } from './stack/folders.ts';

type Chunk = { file: string; imports?: string[] };
type FirstLoad = { bytes: number; kb: number; limitKb: number };

const limitsKb = { 'auth/login-page': 150, 'home/home-page': 190, 'sessions/session-page': 235 };
export type MeasuredPage = keyof typeof limitsKb;

/** Builds the console if its sources changed. */
export async function measureFirstLoads(): Promise<Record<MeasuredPage, FirstLoad>> {
  await buildConsole();
  const dist = join(root, 'apps/console/dist');
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const filesOf = (name: string): string[] => {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`the built console has no ${name}`);
    return [chunk.file, ...(chunk.imports ?? []).flatMap(filesOf)];
  };
  const measure = (page: string, limitKb: number): FirstLoad => {
    const frame = page.startsWith('auth/') ? [] : filesOf('src/frame/app-frame.tsx');
    const files = new Set([...filesOf('index.html'), ...frame, ...filesOf(`src/${page}.tsx`)]);
    const bytes = [...files].map((file) => gzipSync(readFileSync(join(dist, file))).length).reduce((a, b) => a + b, 0);
    return { bytes, kb: Math.round(bytes / 1024), limitKb };
  };
  const measured = Object.entries(limitsKb).map(([page, limitKb]) => [page, measure(page, limitKb)]);
  // The keys are those of the limits.
  return Object.fromEntries(measured) as Record<MeasuredPage, FirstLoad>;
}
