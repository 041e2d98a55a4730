// The images, as Compose runs them on two engines: what `npm run images -- test` does. For `.ci/run`, where light tests run beside it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { it } from 'node:test';
import { root } from '../testkit/stack/folders.ts';

const isRoot = process.getuid?.() === 0;

it('images are built, and an installation of them works', {
  skip: !isRoot && 'it makes namespaces and mounts: as root only',
  timeout: 2_300_000,
}, async ({ signal }) => {
  // On the disk, as for who runs the command: layers of images are too large for a folder in memory.
  const { TMPDIR: _, TEST_STACKS_DIR: __, NODE_TEST_CONTEXT: ___, ...env } = process.env;
  const trial = spawn(process.execPath, [join(root, 'deploy/main.ts'), 'test'], {
    cwd: root,
    env,
    stdio: ['ignore', 2, 2],
  });
  signal.addEventListener('abort', () => trial.kill('SIGTERM'));
  const [code] = await once(trial, 'exit');
  assert.equal(code, 0, 'its last lines above say why');
});
