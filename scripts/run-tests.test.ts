import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { root } from '../testkit/stack/folders.ts';
import { computedByArea, repeatFailed, runTests, timesToRepeat } from './run-tests.ts';

describe('test files', () => {
  let folder: string;
  // Without what this test's own runner says to its files.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = { env, signal: new AbortController().signal, isQuiet: true };
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pilothouse-run-tests-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function write(name: string, body: string): string {
    const file = join(folder, name);
    writeFileSync(
      file,
      `import { it } from 'node:test';\nimport fs from 'node:fs';\nit('is so', () => { ${body} });\n`,
    );
    return relative(root, file);
  }
  const once = (name: string) => {
    const mark = JSON.stringify(join(folder, `${name}.seen`));
    return write(
      `${name}.test.mjs`,
      `const seen = fs.existsSync(${mark}); fs.writeFileSync(${mark}, ''); if (!seen) throw new Error('the first time');`,
    );
  };
  const always = (name: string) => write(`${name}.test.mjs`, `throw new Error('always');`);

  it('that failed run once more, and pass where they pass then', async () => {
    const first = await runTests([once('unlucky')], run);
    assert.equal(first.code, 1);
    assert.deepEqual(
      first.summaries.map(({ hasPassed }) => hasPassed),
      [false],
    );
    assert.equal((await repeatFailed(first, run)).code, 0);
  });

  it('that failed fail where they fail again', async () => {
    const first = await runTests([always('broken'), once('other')], run);
    assert.equal((await repeatFailed(first, run)).code, 1);
  });

  it('end where they leave something behind that never ends', async () => {
    const file = write('leaks.test.mjs', 'setInterval(() => {}, 1000);');
    const { code, summaries } = await runTests([file], { ...run, fileSecs: 1 });
    assert.equal(code, 1);
    assert.ok(
      summaries.every(({ hasPassed }) => !hasPassed),
      JSON.stringify(summaries),
    );
  });

  it('end where a process that they started never ends', async () => {
    const body = "process.getBuiltinModule('child_process').spawn('sleep', ['60'], { stdio: 'inherit' });";
    const begun = performance.now();
    const { code } = await runTests([write('starts.test.mjs', body)], { ...run, fileSecs: 1 });
    assert.equal(code, 1);
    assert.ok(performance.now() - begun < 30_000);
  });

  it('run also after one that ends the process that runs it', async () => {
    const files = [write('a-ends.test.mjs', "process.kill(process.ppid, 'SIGKILL');"), write('b-after.test.mjs', '')];
    const { code, summaries } = await runTests(files, run);
    assert.equal(code, 1);
    assert.deepEqual(
      summaries.map(({ hasPassed }) => hasPassed),
      [false, true],
    );
  });

  it('that failed fail at once where they are many', async () => {
    const names = Array.from({ length: 21 }, (_, at) => once(`many-${at}`));
    const many = await runTests(names, { ...run, atOnce: 2 });
    assert.equal((await repeatFailed(many, run)).code, 1);
  });

  it('fail where an attack succeeds once more in three tries', async () => {
    assert.deepEqual(['chaos/attacks/attacks.test.ts', 'chaos/tasks/tasks.test.ts'].map(timesToRepeat), [3, 1]);
    // The first run, and the third of the three that follow.
    const now = (name: string, failing: number[]) => {
      const mark = JSON.stringify(join(folder, `${name}.count`));
      return write(
        `${name}.test.mjs`,
        `const before = fs.existsSync(${mark}) ? Number(fs.readFileSync(${mark})) : 0;
         fs.writeFileSync(${mark}, String(before + 1));
         if (${JSON.stringify(failing)}.includes(before)) throw new Error('now and then');`,
      );
    };
    const rare = await runTests([now('rare', [0, 3])], run);
    assert.equal((await repeatFailed(rare, run, () => 3)).code, 1);
    const unlucky = await runTests([now('unlucky-attack', [0])], run);
    assert.equal((await repeatFailed(unlucky, run, () => 3)).code, 0);
  });

  it('yield to others, and are done by them where these have nothing else to do', async () => {
    const seen = (name: string) => join(folder, `${name}.priority`);
    const after = (
      name: string,
    ) => `for (const end = Date.now() + 20_000; !fs.existsSync(${JSON.stringify(seen(name))});)
        if (Date.now() > end) throw new Error('waits for ${name} in vain');`;
    const say = (name: string) =>
      `fs.writeFileSync(${JSON.stringify(seen(name))}, String(process.getBuiltinModule('os').getPriority()));`;
    const file = (name: string, body: string) => write(`${name}.test.mjs`, body);
    const first = file('first', `${say('first')} ${after('yielding')}`);
    const beside = [file('yielding', `${say('yielding')} ${after('taken')}`), file('taken', say('taken'))];
    const { code, counts } = await runTests([first], { ...run, beside });
    assert.deepEqual([code, counts.tests, counts.passed], [0, 3, 3]);
    const [own = Number.NaN, yielding, taken] = ['first', 'yielding', 'taken'].map((name) =>
      Number(readFileSync(seen(name))),
    );
    assert.ok(Number(yielding) > own, `${yielding} yields to ${own}`);
    assert.equal(taken, own);
  });

  it('beside others are left for another run where they have not begun when these end', async () => {
    const begun = JSON.stringify(join(folder, 'begun.seen'));
    const beside = ['one', 'other'].map((name) => write(`${name}.test.mjs`, `throw new Error('is not run');`));
    // The first ends once the one beside it has begun, and long before that one's process ends.
    const first = write(
      'main.test.mjs',
      `const end = Date.now() + 20_000; while (!fs.existsSync(${begun}) && Date.now() < end);`,
    );
    const slow = write(
      'slow.test.mjs',
      `fs.writeFileSync(${begun}, ''); const end = Date.now() + 1500; while (Date.now() < end);`,
    );
    const done = await runTests([first], { ...run, beside: [slow, ...beside], leavesRest: true });
    assert.deepEqual([done.code, done.counts.tests], [0, 2]);
    assert.deepEqual(done.left, beside);
  });

  it('are summed by their area, what computed most first', () => {
    const files = { 'e2e/work.test.ts': 2, 'apps/agent/src/a.test.ts': 3, 'apps/agent/src/task/b.test.ts': 4 };
    const summaries = Object.entries(files).map(([file, cpuSecs]) => ({ file: join(root, file), cpuSecs }));
    assert.deepEqual(computedByArea(summaries), [
      ['apps/agent', 7],
      ['e2e', 2],
    ]);
  });
});
