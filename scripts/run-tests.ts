// Runs test files with node's test runner, and names the slowest of them.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../testkit/stack/folders.ts';
import type { FileSummary } from './file-summaries.reporter.ts';

type Run = {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** How many files at a time. */
  atOnce?: number;
};
export type TestRun = { code: number; summaries: FileSummary[] };

const slowestShown = 15;
/** Every test file and every process of a stack loads hundreds of modules: what Node compiled once is kept for the next. */
const compileCache = join(root, 'node_modules/.cache/compiled');

/** The exit code is 0 where every test passed. */
export async function runTests(patterns: string[], { env, signal, atOnce = 1 }: Run): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-tests-'));
  const summaries = join(folder, 'summaries');
  const reporters = [
    [join(root, 'scripts/file-summaries.reporter.ts'), summaries],
    ['spec', 'stdout'],
  ].flatMap(([reporter, to]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${to}`]);
  const args = ['--test', `--test-concurrency=${atOnce}`, '--test-timeout=300000', ...reporters, ...patterns];
  try {
    const withCache = { NODE_COMPILE_CACHE: compileCache, ...env };
    const child = spawn(process.execPath, args, { cwd: root, env: withCache, stdio: 'inherit' });
    // Ctrl-C in a terminal reaches the tests by itself; a signal to this process alone has to be handed on.
    const end = () => child.kill(signal.reason);
    signal.addEventListener('abort', end);
    const code = await new Promise<number>((resolve) => child.on('exit', (ended) => resolve(ended ?? 1)));
    signal.removeEventListener('abort', end);
    // A run that was ended early may have written none.
    return { code, summaries: existsSync(summaries) ? summariesIn(summaries) : [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function summariesIn(path: string): FileSummary[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FileSummary);
}

export function printSlowest(summaries: FileSummary[]): void {
  if (summaries.length < 2) return;
  const slowest = summaries.toSorted((one, other) => other.ms - one.ms).slice(0, slowestShown);
  console.log(`the ${slowest.length} slowest of ${summaries.length} files:`);
  for (const { file, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${relative(root, file)}`);
}
