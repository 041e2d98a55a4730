import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { WaitError } from '@pilothouse/bus';
import { startDeadline, within } from './deadline.ts';
import { failureOf } from './failure.ts';

const never = new Promise<never>(() => {});

describe('the notes of a deadline', () => {
  it('say in the failure of a step what it was waiting for', async () => {
    const deadline = startDeadline(20, new AbortController().signal);
    deadline.note('looking for the element');
    deadline.keeping(1).note('waiting for the element to be ready: something else on the page covers the element');
    const failure = await within(deadline, never).catch((error) => failureOf(error, deadline));
    assert.equal(failure.failure, 'timeout');
    assert.equal(
      failure.message,
      'not done in the time given: looking for the element, ' +
        'then waiting for the element to be ready: something else on the page covers the element',
    );
  });

  it('are shared by the deadlines derived from it, once each in a row, and only the last ones are kept', () => {
    const deadline = startDeadline(1000, new AbortController().signal);
    for (const what of ['a', 'b', 'b', 'c', 'c']) deadline.atMost(10).note(what);
    deadline.until(AbortSignal.abort()).note('d');
    assert.deepEqual(deadline.trail(), ['b', 'c', 'd']);
  });

  it('are not needed', () => {
    const failure = failureOf(new WaitError('timeout'), startDeadline(1000, new AbortController().signal));
    assert.equal(failure.message, 'not done in the time given');
  });
});
