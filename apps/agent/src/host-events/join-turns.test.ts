import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createJoinTurns } from './join-turns.ts';

describe('whose wish to join is judged', () => {
  function turns() {
    let clock = 0;
    const { take } = createJoinTurns(() => clock);
    const under: { name: string; end: () => void }[] = [];
    return {
      under: () => under.map(({ name }) => name),
      pass: (ms: number) => {
        clock += ms;
      },
      async ask(name: string, address: string, isKnown = false) {
        const answer = take({ address, isKnown }, () => {
          const { promise, resolve } = Promise.withResolvers<string>();
          under.push({ name, end: () => resolve(name) });
          return promise;
        });
        let said: string | undefined;
        void answer.then((result) => {
          said = result?.verdict ?? 'refused';
        });
        await nextTurn();
        return () => said;
      },
      async endFirst() {
        under.shift()?.end();
        await nextTurn();
      },
    };
  }

  it('is one of each address at once, in the order in which they came', async () => {
    const { ask, under, endFirst } = turns();
    const first = await ask('a1', 'a');
    await ask('a2', 'a');
    await ask('b1', 'b');
    assert.deepEqual(under(), ['a1', 'b1']);
    await endFirst();
    assert.equal(first(), 'a1');
    assert.deepEqual(under(), ['b1', 'a2']);
  });

  it('is that of a host which is known, while others ask without end', async () => {
    const { ask, under } = turns();
    for (let i = 0; i < 20; i += 1) await ask(`a${i}`, 'a');
    const last = await ask('a20', 'a');
    assert.equal(last(), 'refused', 'beyond its line');
    await ask('b', 'b');
    assert.equal((await ask('c', 'c'))(), 'refused', 'a third stranger');
    await ask('known', 'd', true);
    assert.deepEqual(under(), ['a0', 'b', 'known']);
    assert.equal((await ask('another', 'e', true))(), 'refused', 'more would take from the work of tasks');
  });

  it('is none that NATS no longer waits for, and the next one after it', async () => {
    const { ask, under, endFirst, pass } = turns();
    await ask('a1', 'a');
    const late = await ask('a2', 'a');
    pass(1200);
    await endFirst();
    assert.equal(late(), 'refused');
    await ask('a3', 'a');
    assert.deepEqual(under(), ['a3']);
  });
});
