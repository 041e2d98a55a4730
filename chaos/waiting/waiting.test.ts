import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withStack } from '../../testkit/stack/with-services.ts';
import { letManyWait } from './waiting.ts';

it('tasks that wait for people hold up no other, and go on when they are answered', async () => {
  // More than may be at work in an agent at once.
  const figures = await withStack(`waiting-${process.pid}`, (stack) =>
    letManyWait(stack, { waiting: 260, starts: 5, settleMs: 7000 }),
  );
  console.log(JSON.stringify(figures));
  assert.equal(figures.answered_and_done, 3);
  assert.ok(figures.agent_grown_mb <= 50, `${figures.agent_grown_mb} MB`);
  // One that waits for a place would wait for as long as people do.
  assert.ok(figures.chat_to_begin_ms.beside.max < 5000, JSON.stringify(figures));
});
