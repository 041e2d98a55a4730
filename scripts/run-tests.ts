// Runs test files with node's test runner, once more where the weather of the machine may have failed them, and names the
// slowest of them.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from '../testkit/stack/folders.ts';
import type { FileSummary } from './file-summaries.reporter.ts';

type Run = {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** How many files at a time. */
  atOnce?: number;
  /** Without what the tests print. */
  isQuiet?: boolean;
};
/** `busy` is the part of the processors' time that was used, by these tests or by others. */
export type TestRun = { code: number; summaries: FileSummary[]; busy: number };

const slowestShown = 15;
/** Every test file and every process of a stack loads hundreds of modules: what Node compiled once is kept for the next. */
const compileCache = join(root, 'node_modules/.cache/compiled');

/** The exit code is 0 where every test passed. */
export async function runTests(
  patterns: string[],
  { env, signal, atOnce = 1, isQuiet = false }: Run,
): Promise<TestRun> {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-tests-'));
  const summaries = join(folder, 'summaries');
  const reporters = [
    [join(root, 'scripts/file-summaries.reporter.ts'), summaries],
    ['spec', 'stdout'],
  ].flatMap(([reporter, to]) => [`--test-reporter=${reporter}`, `--test-reporter-destination=${to}`]);
  const args = ['--test', `--test-concurrency=${atOnce}`, '--test-timeout=300000', ...reporters, ...patterns];
  const busySince = watchProcessors();
  try {
    const withCache = { NODE_COMPILE_CACHE: compileCache, ...env };
    const child = spawn(process.execPath, args, { cwd: root, env: withCache, stdio: isQuiet ? 'ignore' : 'inherit' });
    // Ctrl-C in a terminal reaches the tests by itself; a signal to this process alone has to be handed on.
    const end = () => child.kill(signal.reason);
    signal.addEventListener('abort', end);
    const code = await new Promise<number>((resolve) => child.on('exit', (ended) => resolve(ended ?? 1)));
    signal.removeEventListener('abort', end);
    // A run that was ended early may have written none.
    return { code, summaries: existsSync(summaries) ? summariesIn(summaries) : [], busy: busySince() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function watchProcessors(): () => number {
  const timesOf = () => {
    const all = cpus().map(({ times }) => times);
    const idle = all.reduce((sum, times) => sum + times.idle, 0);
    return { idle, total: all.flatMap((times) => Object.values(times)).reduce((sum, ms) => sum + ms, 0) };
  };
  const before = timesOf();
  return () => {
    const now = timesOf();
    return 1 - (now.idle - before.idle) / Math.max(1, now.total - before.total);
  };
}

function summariesIn(path: string): FileSummary[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FileSummary);
}

/** Whether more files at a time would make a run shorter: where processors are busy, they would not. */
export function printBusy(name: string, { summaries, busy }: TestRun): void {
  const minutes = summaries.reduce((sum, { ms }) => sum + ms, 0) / 60_000;
  console.log(
    `${name}: ${summaries.length} files, ${minutes.toFixed(1)} min of tests, processors ${Math.round(busy * 100)} % busy`,
  );
}

export function printSlowest(summaries: FileSummary[]): void {
  if (summaries.length < 2) return;
  const slowest = summaries.toSorted((one, other) => other.ms - one.ms).slice(0, slowestShown);
  console.log(`the ${slowest.length} slowest of ${summaries.length} files:`);
  for (const { file, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${relative(root, file)}`);
}

const maxRepeated = 3;
const isAttack = /^chaos\/(attacks|auth|bus|guard|secrets|unread)\//;

/**
 * Runs files that failed once more, each alone, if they are few: on a busy machine a test may wait in vain. Each is named,
 * so that it can be mended. An attack that succeeds once has succeeded, so attacks are never run again.
 */
export async function repeatFailed(first: TestRun, { env, signal, isQuiet = false }: Run): Promise<TestRun> {
  const failed = first.summaries.filter(({ hasPassed }) => !hasPassed).map(({ file }) => relative(root, file));
  const isRepeated = failed.length > 0 && failed.length <= maxRepeated && !failed.some((file) => isAttack.test(file));
  if (first.code === 0 || !isRepeated || signal.aborted) return first;
  if (!isQuiet) console.log(`these failed and run once more, alone: ${failed.join(', ')}`);
  const again = await runTests(failed, { env, signal, isQuiet });
  if (again.code === 0 && !isQuiet) console.log(`failed at first and passed alone: ${failed.join(', ')}`);
  return { ...first, code: again.code };
}
