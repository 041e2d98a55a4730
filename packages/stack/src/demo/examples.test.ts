import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ExampleTask, parseScript } from '@pilothouse/contract';
import { demoExamples } from './examples.ts';

it('the tasks to try of a demo are scripts that are understood', () => {
  const examples = demoExamples('http://127.0.0.1:4980');
  assert.equal(examples.length, 3);
  for (const example of examples) {
    ExampleTask.parse(example);
    const read = parseScript(example.prompt);
    assert.ok(read.ok, JSON.stringify(read));
  }
  const orders = examples.filter(({ prompt }) => prompt.includes('Place order'));
  assert.deepEqual(
    orders.map(({ steps_by }) => steps_by),
    ['program'],
    'what orders needs a yes',
  );
});
