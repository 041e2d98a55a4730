import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurns } from './turns.ts';

const signal = new AbortController().signal;

describe('works that take turns', () => {
  /** Openings that end when they are told to. */
  function openings(atOnce: number) {
    const turns = createTurns({ atOnce });
    const begun: { name: string; end: () => void }[] = [];
    const open = (name: string, within = signal) =>
      turns.run(() => {
        const { promise, resolve } = Promise.withResolvers<void>();
        begun.push({ name, end: resolve });
        return promise;
      }, within);
    const names = () => begun.map(({ name }) => name);
    const hasBegun = async (count: number) => {
      for (let i = 0; i < 1000 && begun.length < count; i += 1) await nextTurn();
      assert.equal(begun.length, count);
    };
    return { open, begun, names, hasBegun };
  }

  it('begin two at a time where two may, and the others in the order in which they asked', async () => {
    const { open, begun, names, hasBegun } = openings(2);
    const all = ['a', 'b', 'c', 'd'].map((name) => open(name));
    await nextTurn();
    assert.deepEqual(names(), ['a', 'b']);
    begun[1]?.end();
    await hasBegun(3);
    assert.deepEqual(names(), ['a', 'b', 'c']);
    for (const one of begun) one.end();
    await hasBegun(4);
    begun[3]?.end();
    await Promise.all(all);
  });

  it('let the next begin where one failed, or no longer waits', async () => {
    const { open, begun, names, hasBegun } = openings(1);
    const turns = createTurns({ atOnce: 1, jitterMs: 0 });
    await assert.rejects(
      turns.run(() => Promise.reject(new Error('refused')), signal),
      /refused/,
    );
    await turns.run(async () => {}, signal);
    const leaving = new AbortController();
    const first = open('first');
    const left = open('left', leaving.signal);
    const last = open('last');
    leaving.abort(new Error('not needed'));
    await assert.rejects(left, /not needed/);
    await assert.rejects(open('late', leaving.signal), /not needed/);
    begun[0]?.end();
    await hasBegun(2);
    assert.deepEqual(names(), ['first', 'last']);
    begun[1]?.end();
    await Promise.all([first, last]);
  });

  it('that take long let the next begin, and leave but once', async () => {
    const turns = createTurns({ atOnce: 1, passesOnMs: 20 });
    const slow = Promise.withResolvers<void>();
    const first = turns.run(() => slow.promise, signal);
    await turns.run(async () => {}, signal);
    slow.resolve();
    await first;
    const held = Promise.withResolvers<void>();
    const begun: string[] = [];
    const both = [turns.run(() => held.promise, signal), turns.run(async () => void begun.push('second'), signal)];
    await nextTurn();
    assert.deepEqual(begun, [], 'there is one turn as before');
    held.resolve();
    await Promise.all(both);
  });

  it('that had to wait begin at different times', async () => {
    const parts: number[] = [];
    const random = () => {
      parts.push(0);
      return 0;
    };
    const turns = createTurns({ atOnce: 1, jitterMs: 50, random });
    await Promise.all(['a', 'b', 'c'].map(() => turns.run(async () => {}, signal)));
    assert.equal(parts.length, 2, 'not the first');
  });
});
