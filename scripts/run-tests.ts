// Runs test files with node's test runner, once more where the weather of the machine may have failed them, and names the
// slowest of them.
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../testkit/stack/folders.ts';
import { type FileCounts, type FileSummary, type Lane, type LaneReport, openLane } from './lane.ts';
import { inWords, type Weather, watchMachine } from './weather.ts';

type Run = {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** How many files at a time. */
  atOnce?: number;
  /** Files that run while the processors would rest: in a lane of their own that yields to the others, and in the others once these
   * have nothing else to do. */
  beside?: string[];
  /** In how many lanes that yield. */
  besideAtOnce?: number;
  /** What has not begun beside the others when these have ended is left for another run. */
  leavesRest?: boolean;
  /** A file that has not ended by then fails. Without it: more than the slowest takes on a slow machine. */
  fileSecs?: number;
  /** Without what the tests print. */
  isQuiet?: boolean;
};
export type TestRun = {
  code: number;
  summaries: FileSummary[];
  counts: FileCounts;
  ms: number;
  weather: Weather;
  /** The files beside the others that have not begun. */
  left: string[];
};

const slowestShown = 15;
/** Every test file and every process of a stack loads hundreds of modules: what Node compiled once is kept for the next. */
const compileCache = join(root, 'node_modules/.cache/compiled');

/** The exit code is 0 where every test passed. The files begin in the order given. */
export async function runTests(
  patterns: string[],
  { env, signal, atOnce = 1, beside = [], besideAtOnce = 1, leavesRest = false, fileSecs = 1200, isQuiet = false }: Run,
): Promise<TestRun> {
  const [files, yielding] = [filesOf(patterns), filesOf(beside)];
  if (files.length + yielding.length === 0) throw new Error(`no such test file: ${patterns.join(', ')}`);
  const weather = watchMachine();
  const begun = performance.now();
  const settings = { NODE_COMPILE_CACHE: compileCache, TEST_POSTGRES_FSYNC: 'off', ...env };
  const reports: LaneReport[] = [];
  const work = async (lane: Lane, next: () => string | undefined) => {
    for (let file = next(); file !== undefined && !signal.aborted; file = next()) {
      const report = await lane.run({ file, fileSecs });
      if (!isQuiet) process.stdout.write(report.printed);
      reports.push(report);
    }
  };
  const lanes = Array.from({ length: atOnce }, () => openLane({ env: settings, signal }));
  const yieldingLanes = Array.from({ length: Math.min(besideAtOnce, yielding.length) }, () =>
    openLane({ env: settings, signal, isYielding: true }),
  );
  let haveOthersEnded = false;
  const nextBeside = () => (leavesRest && haveOthersEnded ? undefined : yielding.shift());
  try {
    const others = lanes.map((lane) => work(lane, () => files.shift() ?? (leavesRest ? undefined : yielding.shift())));
    await Promise.all([
      Promise.all(others).finally(() => {
        haveOthersEnded = true;
      }),
      ...yieldingLanes.map((lane) => work(lane, nextBeside)),
    ]);
  } finally {
    await Promise.all([...lanes, ...yieldingLanes].map((lane) => lane.close()));
  }
  const hasPassed = !signal.aborted && reports.every((report) => report.hasPassed);
  const done: TestRun = {
    code: hasPassed ? 0 : 1,
    summaries: reports.map(({ file, ms, cpuSecs, hasPassed: isGood }) => ({ file, ms, cpuSecs, hasPassed: isGood })),
    counts: sumOf(reports.map(({ counts }) => counts)),
    ms: performance.now() - begun,
    weather: weather(),
    left: yielding.map((file) => relative(root, file)),
  };
  if (!isQuiet) printTotals([done]);
  return done;
}

const filesOf = (patterns: string[]) =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).map((file) => join(root, file));

const names: [keyof FileCounts, string][] = [
  ['tests', 'tests'],
  ['suites', 'suites'],
  ['passed', 'pass'],
  ['failed', 'fail'],
  ['cancelled', 'cancelled'],
  ['skipped', 'skipped'],
  ['todo', 'todo'],
];
const sumOf = (all: FileCounts[]) =>
  Object.fromEntries(names.map(([kind]) => [kind, all.reduce((sum, one) => sum + one[kind], 0)])) as FileCounts;

/** In the words of node's runner, which says it of each run alone. */
export function printTotals(runs: TestRun[]): void {
  const counts = sumOf(runs.map((run) => run.counts));
  for (const [kind, name] of names) console.log(`ℹ ${name} ${counts[kind]}`);
  console.log(`ℹ duration_ms ${runs.reduce((sum, { ms }) => sum + ms, 0)}`);
  const failed = runs.flatMap(({ summaries }) => summaries.filter(({ hasPassed }) => !hasPassed));
  if (failed.length > 0)
    console.log(`files with failed tests: ${failed.map(({ file }) => relative(root, file)).join(', ')}`);
}

/** The slowest kinds of files, the slowest first. What begins early does not end alone. */
const slowest = [
  /^chaos\/attacks\//,
  /^bench\//,
  /^chaos\/(tasks|console|waiting|outage|takeover)\//,
  /^e2e\/(takeover|console-look|survive|upgrade|work)\.test/,
  /^scripts\/(check|packages)\.test|^apps\/server\/src\/auth\/matrix/,
  /^e2e\/console/,
  /^chaos\//,
  /^apps\/browser\/src\/dom\/scope/,
  /^apps\/browser\//,
];
export function slowestFirst(files: string[]): string[] {
  const rankOf = (file: string) => slowest.findIndex((kind) => kind.test(file)) + 1 || slowest.length + 1;
  return files.toSorted((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
}

/** Whether more files at a time would make a run shorter, and whether the machine was to blame for what failed. */
export function printWeather(name: string, { summaries, weather }: TestRun): void {
  const minutes = summaries.reduce((sum, { ms }) => sum + ms, 0) / 60_000;
  const computed = summaries.reduce((sum, { cpuSecs }) => sum + cpuSecs, 0) / 60;
  const work = `${minutes.toFixed(1)} min of tests that computed for ${computed.toFixed(1)}`;
  console.log(`${name}: ${summaries.length} files, ${work}, ${inWords(weather)}`);
}

export function printSlowest(summaries: FileSummary[]): void {
  if (summaries.length < 2) return;
  const shown = summaries.toSorted((one, other) => other.ms - one.ms).slice(0, slowestShown);
  console.log(`the ${shown.length} slowest of ${summaries.length} files:`);
  for (const { file, ms, cpuSecs } of shown)
    console.log(`${(ms / 1000).toFixed(1).padStart(8)} s, ${cpuSecs.toFixed(1)} computed  ${relative(root, file)}`);
  const areas = computedByArea(summaries).map(([area, secs]) => `${area} ${(secs / 60).toFixed(1)}`);
  console.log(`minutes computed: ${areas.join(', ')}`);
}

/** What computes most comes first: where a run can be made shorter. */
export function computedByArea(summaries: Pick<FileSummary, 'file' | 'cpuSecs'>[]): [area: string, secs: number][] {
  const sums = new Map<string, number>();
  for (const { file, cpuSecs } of summaries) {
    const [top = '', next = ''] = relative(root, file).split('/');
    const area = top === 'packages' || top === 'apps' || top === 'chaos' ? `${top}/${next}` : top;
    sums.set(area, (sums.get(area) ?? 0) + cpuSecs);
  }
  return [...sums].sort(([, one], [, other]) => other - one);
}

/** Where more have failed, the change is broken and not the machine. */
const maxRepeated = 20;
const isAttack = /^chaos\/(attacks|auth|bus|cdp\/hostile|guard|secrets|unread)\b/;
/** An attack that succeeds now and then has succeeded: it has to fail this often, one time after the other. */
const timesOfAttacks = 3;
export const timesToRepeat = (file: string) => (isAttack.test(file) ? timesOfAttacks : 1);

/**
 * Runs files that failed once more, each alone, if they are few: on a machine that stands still for seconds a test waits in
 * vain. Each is named, so that it can be mended.
 */
export async function repeatFailed(
  first: TestRun,
  { env, signal, fileSecs, isQuiet = false }: Run,
  timesOf = timesToRepeat,
): Promise<TestRun> {
  const failed = first.summaries.filter(({ hasPassed }) => !hasPassed).map(({ file }) => relative(root, file));
  const isRepeated = failed.length > 0 && failed.length <= maxRepeated;
  if (first.code === 0 || !isRepeated || signal.aborted) return first;
  const files = failed.flatMap((file) => Array.from({ length: timesOf(file) }, () => file));
  if (!isQuiet) console.log(`these failed and run once more, alone: ${files.join(', ')}`);
  let code = 0;
  // One run for each: the runner takes a file only once.
  for (const file of files) {
    if (code === 0 && !signal.aborted) code = (await runTests([file], { env, signal, fileSecs, isQuiet })).code;
  }
  if (code === 0 && !isQuiet) console.log(`failed at first and passed alone: ${failed.join(', ')}`);
  return { ...first, code: signal.aborted ? first.code : code };
}
