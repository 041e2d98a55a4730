// npm run mutate [-- part …]: changes the code of policies a little, each time in another place of a scratch copy, and counts how
// many of the changes the tests beside it notice. Those that nobody noticed are printed.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { copyProject } from '../testkit/scratch-copy.ts';
import { withServices } from '../testkit/stack/with-services.ts';
import { type Mutant, mutantsOf } from './mutants.ts';

type Part = {
  files: string[];
  tests: string[];
  /** Constants whose words are data. */
  data?: string[];
  needsDatabase?: boolean;
};

const policy = 'packages/policy/src';
const agent = 'apps/agent/src';
const parts: Record<string, Part> = {
  classes: {
    files: [`${policy}/classify.ts`, `${policy}/words.ts`],
    tests: [`${policy}/classify.test.ts`],
    // A word that is missing is found by a labelled act, and not by a changed line.
    data: ['languages'],
  },
  rules: { files: [`${policy}/rules.ts`], tests: [`${policy}/rules.test.ts`] },
  flow: { files: [`${policy}/flow.ts`], tests: [`${policy}/flow.test.ts`] },
  approvals: {
    files: [`${agent}/task/approvals.ts`, `${agent}/ledger/approvals.ts`, `${agent}/policy/task-gate.ts`],
    tests: [
      `${agent}/task/approvals.test.ts`,
      `${agent}/task/approval-words.test.ts`,
      `${agent}/policy/step-flow.test.ts`,
      `${agent}/policy/task-gate.test.ts`,
    ],
    needsDatabase: true,
  },
};

/** Of the changes, as the project promises. */
const atLeast = 0.9;
/** The tests of a change may take this many times what they take without one: a wait of theirs that hangs is cut then. */
const slowest = 5;
const unchangedMs = 180_000;
/** One test, which waits for something that a change has made impossible. */
const testMs = 8000;
const lanes = 2;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { every: { type: 'string' } } });
/** A small run tries every nth change only. */
const every = Number(values.every ?? 1);
const wanted = positionals.length > 0 ? positionals : Object.keys(parts);

type Found = Mutant & { file: string };

/** What is left where a run is ended early: groups of processes, and copies. */
const groups = new Set<number>();
const copies = new Set<string>();
process.once('exit', () => {
  for (const pid of groups) process.kill(-pid, 'SIGKILL');
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});

/** Whether the tests fail, as they should: known at the first that does. */
function isNoticed(copy: string, tests: string[], env: NodeJS.ProcessEnv, deadlineMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const args = ['--test', '--test-reporter=tap', `--test-timeout=${testMs}`, ...tests];
  // Tests that are killed cannot tidy up: what they make goes with the copy.
  const TMPDIR = join(copy, '.tmp');
  mkdirSync(TMPDIR, { recursive: true });
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: { ...env, TMPDIR },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const { pid } = child;
  // With the processes of its files, which a signal to the runner alone leaves behind.
  if (pid) groups.add(pid);
  const kill = () => {
    if (pid && groups.has(pid)) process.kill(-pid, 'SIGKILL');
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (/^\s*not ok /.test(line)) kill();
  });
  // A change that never ends is noticed too.
  const deadline = setTimeout(kill, deadlineMs);
  child.once('exit', () => pid && groups.delete(pid));
  child.once('close', (code) => {
    clearTimeout(deadline);
    resolve(code !== 0);
  });
  return promise;
}

async function runPart(name: string, part: Part, env: NodeJS.ProcessEnv) {
  const all: Found[] = part.files.flatMap((file) =>
    mutantsOf(readFileSync(file, 'utf8'), (constant) => part.data?.includes(constant) ?? false).map((one) => ({
      ...one,
      file,
    })),
  );
  const chosen = all.filter((_, index) => index % every === 0);
  const survived: string[] = [];
  let next = 0;
  let done = 0;
  const lane = async () => {
    const copy = mkdtempSync(join(tmpdir(), 'pilothouse-mutant-'));
    copies.add(copy);
    try {
      copyProject(copy);
      const began = performance.now();
      if (await isNoticed(copy, part.tests, env, unchangedMs))
        throw new Error(`${name}: the tests fail without any change`);
      const deadlineMs = Math.ceil(slowest * (performance.now() - began));
      for (let one = chosen[next++]; one; one = chosen[next++]) {
        const path = join(copy, one.file);
        const before = readFileSync(path, 'utf8');
        writeFileSync(path, one.text);
        const noticed = await isNoticed(copy, part.tests, env, deadlineMs);
        writeFileSync(path, before);
        const change = `${one.file}:${one.line} ${one.what}`;
        if (!noticed) survived.push(change);
        done++;
        console.error(`${name} ${done}/${chosen.length} ${noticed ? 'noticed' : 'SURVIVED'} ${change}`);
      }
    } finally {
      rmSync(copy, { recursive: true });
      copies.delete(copy);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const noticed = chosen.length - survived.length;
  console.log(
    JSON.stringify({ part: name, changes: chosen.length, noticed, share: noticed / chosen.length, survived }),
  );
  return { changes: chosen.length, noticed };
}

async function runAll(env: NodeJS.ProcessEnv): Promise<number> {
  const sums = { changes: 0, noticed: 0 };
  for (const name of wanted) {
    const part = parts[name];
    if (!part) throw new Error(`there is no part ${name}: ${Object.keys(parts).join(', ')}`);
    const { changes, noticed } = await runPart(name, part, env);
    sums.changes += changes;
    sums.noticed += noticed;
  }
  const share = sums.noticed / sums.changes;
  console.log(JSON.stringify({ ...sums, share }));
  return share >= atLeast ? 0 : 1;
}

const needsDatabase = wanted.some((name) => parts[name]?.needsDatabase);
// With a database, its helper ends on these signals, after the database.
if (!needsDatabase) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exitCode = needsDatabase
  ? await withServices(`mutate-${process.pid}`, async (services) => {
      await services.start('postgres');
      return runAll({ ...process.env, TEST_DATABASE_URL: services.adminDatabaseUrl() });
    })
  : await runAll(process.env);
