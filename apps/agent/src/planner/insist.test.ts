import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TaskNotHeld } from '../ledger/turn.ts';
import { insist } from './insist.ts';

describe('an answer that was paid for', () => {
  const failing = (times: number, error: Error) => {
    let tries = 0;
    const write = async () => {
      tries += 1;
      if (tries <= times) throw error;
    };
    return { write, tries: () => tries };
  };
  const { signal } = new AbortController();

  it('is written when the database is back', async () => {
    const { write, tries } = failing(3, new Error('connection refused'));
    await insist(write, signal, 1);
    assert.equal(tries(), 4);
  });

  it('is not written for a task that another run has', async () => {
    const { write, tries } = failing(3, new TaskNotHeld());
    await assert.rejects(insist(write, signal, 1), TaskNotHeld);
    assert.equal(tries(), 1);
  });

  it('is given up when this agent may no longer work on the task', async () => {
    const ending = new AbortController();
    const { write, tries } = failing(100, new Error('connection refused'));
    const written = insist(write, ending.signal, 60_000);
    ending.abort();
    await assert.rejects(written, /connection refused/);
    assert.equal(tries(), 1);
  });
});
