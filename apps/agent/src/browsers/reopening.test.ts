import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createReopening } from './reopening.ts';

const signal = new AbortController().signal;

describe('browsers that are opened again', () => {
  /** Openings that end when they are told to. */
  function openings(atOnce: number) {
    const reopening = createReopening({ atOnce, jitterMs: 0 });
    const begun: { name: string; end: () => void }[] = [];
    const open = (name: string, within = signal) =>
      reopening.run(() => {
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
    const reopening = createReopening({ atOnce: 1, jitterMs: 0 });
    await assert.rejects(
      reopening.run(() => Promise.reject(new Error('refused')), signal),
      /refused/,
    );
    await reopening.run(async () => {}, signal);
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

  it('that had to wait begin at different times', async () => {
    const parts: number[] = [];
    const random = () => {
      parts.push(0);
      return 0;
    };
    const reopening = createReopening({ atOnce: 1, jitterMs: 50, random });
    await Promise.all(['a', 'b', 'c'].map(() => reopening.run(async () => {}, signal)));
    assert.equal(parts.length, 2, 'not the first');
  });
});
