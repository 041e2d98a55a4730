// The tools without which tests are skipped: what .ci/run does where one cannot be installed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../testkit/stack/folders.ts';

type Run = { status: number | null; stderr: string; started: string[] };

/** Runs a copy of it beside scripts that only note their names; one of them fails so many times. */
function runWith({ failing, times, ci }: { failing: string; times: number; ci?: string }): Run {
  const dir = mkdtempSync(join(tmpdir(), 'ci-run-'));
  const text = readFileSync(join(root, '.ci/run'), 'utf8');
  const names = [...text.matchAll(/^(?:tool |\. )?scripts\/([\w.-]+)$/gm)].map(([, name = '']) => name);
  const write = (path: string, body: string) => {
    writeFileSync(join(dir, path), `#!/bin/bash\necho "\${0##*/}" >>"${dir}/started"\n${body}\n`);
    chmodSync(join(dir, path), 0o700);
  };
  for (const folder of ['.ci', 'scripts', 'bin']) mkdirSync(join(dir, folder));
  cpSync(join(root, '.ci/run'), join(dir, '.ci/run'));
  for (const name of names)
    write(`scripts/${name}`, name === failing ? `[ "$(grep -cx ${name} ${dir}/started)" -gt ${times} ]` : '');
  writeFileSync(join(dir, 'scripts/node-path.sh'), '');
  write('bin/npm', '');
  const env = { PATH: `${join(dir, 'bin')}:/usr/bin:/bin`, ...(ci && { CI: ci }) };
  const { status, stderr } = spawnSync(join(dir, '.ci/run'), { encoding: 'utf8', env, timeout: 20_000 });
  const started = readFileSync(join(dir, 'started'), 'utf8').trim().split('\n');
  rmSync(dir, { recursive: true, force: true });
  return { status, stderr, started };
}

/** Documents, checks, and all tests. */
const npmRuns = 3;
const countOf = ({ started }: Run, name: string) => started.filter((one) => one === name).length;

describe('a tool that cannot be installed', () => {
  for (const failing of ['promtool', 'nats-2.10', 's3-server', 'radosgw', 'edge-tools', 'image-tools']) {
    it(`fails the run in CI, at the second time: ${failing}`, () => {
      const run = runWith({ failing, times: 2, ci: 'true' });
      assert.equal(run.status, 1, run.stderr);
      assert.equal(countOf(run, failing), 2);
      assert.equal(countOf(run, 'npm'), 0, 'no test has run');
    });
  }

  it('is no matter in CI if it can at the second time', () => {
    const run = runWith({ failing: 'edge-tools', times: 1, ci: 'true' });
    assert.equal(run.status, 0, run.stderr);
    assert.equal(countOf(run, 'npm'), npmRuns);
  });

  it('is only said elsewhere', () => {
    const run = runWith({ failing: 's3-server', times: 9 });
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stderr, /^scripts\/s3-server: failed, so its tests are skipped$/m);
    assert.equal(countOf(run, 's3-server'), 1);
    assert.equal(countOf(run, 'radosgw'), 1, 'the others go on');
    assert.equal(countOf(run, 'npm'), npmRuns);
  });
});
