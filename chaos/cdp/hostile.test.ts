import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withStack } from '../../testkit/stack/with-services.ts';
import { attackByCommands } from './hostile.ts';

it('no command of a program leads out of its session, and each is answered', async () => {
  const { wrong, ...figures } = await withStack(`cdp-hostile-${process.pid}`, (stack) =>
    attackByCommands({ stack, isSmall: true }),
  );
  console.log(JSON.stringify(figures));
  assert.deepEqual(wrong, []);
  assert.ok(figures.first.answered > 0 && figures.first.refused > 0);
});
