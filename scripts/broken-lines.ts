// node scripts/broken-lines.ts: breaks lines of the agent's core, one at a time in a scratch copy, and fails where no test
// beside them notices. They decide whether a step runs twice, whether an older agent still acts, and when a task ends.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyProject } from '../testkit/scratch-copy.ts';
import { withServices } from '../testkit/stack/with-services.ts';
import { type BrokenLine, brokenLines, core, holdsOnce } from './lines-to-break.ts';

const copy = mkdtempSync(join(tmpdir(), 'pilothouse-broken-'));
try {
  copyProject(copy);
  process.exitCode = await withServices(`broken-${process.pid}`, async (services) => {
    await services.start('postgres');
    const env = { ...process.env, TEST_DATABASE_URL: services.adminDatabaseUrl() };
    if (!passes([...new Set(brokenLines.flatMap(({ tests }) => tests))], env))
      throw new Error('the tests fail on whole lines');
    const unnoticed = brokenLines.filter((line) => !notices(line, env));
    console.log(`${brokenLines.length - unnoticed.length} of ${brokenLines.length} broken lines are noticed`);
    return unnoticed.length === 0 ? 0 : 1;
  });
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function notices({ what, file, line, broken, tests }: BrokenLine, env: NodeJS.ProcessEnv): boolean {
  const path = join(copy, core, file);
  const text = readFileSync(path, 'utf8');
  if (!holdsOnce(text, line)) throw new Error(`${file} has to hold once: ${line}`);
  writeFileSync(
    path,
    text.replace(line, () => broken),
  );
  const isNoticed = !passes(tests, env);
  writeFileSync(path, text);
  console.log(`${isNoticed ? 'noticed' : 'NOT noticed'}: ${what} (${file})`);
  return isNoticed;
}

function passes(tests: string[], env: NodeJS.ProcessEnv): boolean {
  const files = tests.map((test) => join(core, `${test}.test.ts`));
  const args = ['--test', '--test-concurrency=1', '--test-timeout=60000', ...files];
  return spawnSync(process.execPath, args, { cwd: copy, env, stdio: 'ignore', timeout: 300_000 }).status === 0;
}
