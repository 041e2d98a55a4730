// npm run mutate [-- part …]: changes the code of policies a little, each time in another place of a scratch copy, and counts how
// many of the changes the tests beside it notice. Those that nobody noticed are printed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
    tests: [`${agent}/task/approvals.test.ts`, `${agent}/policy/step-flow.test.ts`],
    needsDatabase: true,
  },
};

/** Of the changes, as the project promises. */
const atLeast = 0.9;
const testMs = 180_000;
const lanes = 1;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { every: { type: 'string' } } });
/** A small run tries every nth change only. */
const every = Number(values.every ?? 1);
const wanted = positionals.length > 0 ? positionals : Object.keys(parts);

type Found = Mutant & { file: string };

/** Whether the tests fail, as they should. */
function isNoticed(copy: string, tests: string[], env: NodeJS.ProcessEnv): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(process.execPath, ['--test', ...tests], { cwd: copy, env, stdio: 'ignore', timeout: testMs });
  // A change that never ends is noticed too.
  child.once('close', (code) => resolve(code !== 0));
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
  const lane = async () => {
    const copy = mkdtempSync(join(tmpdir(), 'pilothouse-mutant-'));
    try {
      copyProject(copy);
      if (await isNoticed(copy, part.tests, env)) throw new Error(`${name}: the tests fail without any change`);
      for (let one = chosen[next++]; one; one = chosen[next++]) {
        const path = join(copy, one.file);
        const before = readFileSync(path, 'utf8');
        writeFileSync(path, one.text);
        if (!(await isNoticed(copy, part.tests, env))) survived.push(`${one.file}:${one.line} ${one.what}`);
        writeFileSync(path, before);
      }
    } finally {
      rmSync(copy, { recursive: true });
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
process.exitCode = needsDatabase
  ? await withServices(`mutate-${process.pid}`, async (services) => {
      await services.start('postgres');
      return runAll({ ...process.env, TEST_DATABASE_URL: services.adminDatabaseUrl() });
    })
  : await runAll(process.env);
