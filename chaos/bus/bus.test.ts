import assert from 'node:assert/strict';
import { it } from 'node:test';
import { attackBus } from './attack.ts';

it('an attacker with the credentials of one process publishes and hears what the table grants that process, and nothing else', async () => {
  const { tried, granted, wrong, lost } = await attackBus({ sessions: 1 });
  console.log(JSON.stringify({ tried, granted, arrived_wrongly: wrong.length }));
  assert.ok(tried > 5000 && granted > 100, `${tried} tried, ${granted} granted`);
  assert.deepEqual(wrong, []);
  assert.deepEqual(lost, [], 'what the table grants still comes through');
});
