import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from './dev/place.ts';

it('a second bootstrap finds everything there and takes under 20 seconds', () => {
  const begun = performance.now();
  const { status, stdout } = spawnSync(join(root, 'scripts/bootstrap'), { encoding: 'utf8', timeout: 60_000 });
  const tookMs = Math.round(performance.now() - begun);
  assert.equal(status, 0);
  assert.match(stdout, /^bootstrap: ready \(Node v\d+/, 'it had nothing to install');
  assert.ok(tookMs < 20_000, `${tookMs} ms`);
  console.log(`second bootstrap: ${tookMs} ms`);
});

/** Runs a copy of it on a machine that has only the given programs. */
function bootstrapOn({ system, programs }: { system: string; programs: Record<string, string> }) {
  const dir = mkdtempSync(join(tmpdir(), 'bootstrap-'));
  const bin = join(dir, 'bin');
  const script = join(dir, 'scripts/bootstrap');
  mkdirSync(bin);
  cpSync(join(root, 'scripts/node-path.sh'), join(dir, 'scripts/node-path.sh'));
  writeFileSync(join(dir, 'os-release'), `ID=${system}\n`);
  const text = readFileSync(join(root, 'scripts/bootstrap'), 'utf8');
  writeFileSync(script, text.replaceAll('/etc/os-release', join(dir, 'os-release')));
  for (const [name, body] of Object.entries({ dirname: 'exec /usr/bin/dirname "$@"', id: 'echo 1000', ...programs })) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${body}\n`);
    chmodSync(join(bin, name), 0o700);
  }
  const { status, stderr } = spawnSync('/bin/bash', [script], {
    encoding: 'utf8',
    env: { PATH: bin },
    timeout: 20_000,
  });
  rmSync(dir, { recursive: true });
  return { status, stderr };
}

it('bootstrap asks a bare Debian for npm too, and knows where it is not at home', () => {
  const bare = bootstrapOn({ system: 'debian', programs: { uname: 'echo Linux', grep: 'exit 1' } });
  assert.equal(bare.status, 1);
  assert.match(bare.stderr, /apt-get install .*postgresql .*npm/);

  const relative = bootstrapOn({ system: 'ubuntu', programs: { uname: 'echo Linux', 'dpkg-query': 'exit 1' } });
  assert.equal(relative.status, 1);
  assert.match(relative.stderr, /not Debian.*\n(.*\n)*.*Not found: initdb nats-server chromium npm/);

  const elsewhere = bootstrapOn({ system: 'none', programs: { uname: 'echo Darwin' } });
  assert.equal(elsewhere.status, 1);
  assert.match(elsewhere.stderr, /Linux only/);
});
