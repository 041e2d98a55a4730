import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const program = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
await import('@pilothouse/sdk');
console.log(JSON.stringify(loaded));`;

test('the SDK loads no schemas and no package', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: 30_000,
  });
  const loaded = JSON.parse(stdout || `["${stderr}"]`) as string[];
  assert.ok(
    loaded.some((url) => url.endsWith('/sdk/src/client/client.ts')),
    stderr,
  );
  const strangers = loaded.filter((url) => !/\/packages\/(sdk\/src\/|contract\/src\/)/.test(url));
  assert.deepEqual(strangers, []);
  const ofContract = loaded.flatMap((url) => /contract\/src\/(.*)/.exec(url)?.[1] ?? []);
  assert.deepEqual(ofContract.sort(), [
    'sessions/event-kinds.ts',
    'sessions/stream-names.ts',
    'tasks/act-classes.ts',
    'tasks/moves.ts',
    'types/error-codes.ts',
    'types/is-id.ts',
    'types/secret-name.ts',
    'types/sizes.ts',
    'wire/index.ts',
    'wire/routes.generated.ts',
  ]);
});
