import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLanes } from './lanes.ts';

describe('lanes of hosts', () => {
  it('let a host that does not answer delay only itself, with a bounded number of requests', async () => {
    const lanes = createLanes({ atOnce: 2, onFailed: (error) => assert.fail(String(error)) });
    const silence = Promise.withResolvers<boolean>();
    const asked: string[] = [];
    const ask = (isHeard: boolean | Promise<boolean>) => async (item: string) => {
      asked.push(item);
      return isHeard;
    };
    const stuck = lanes.run('stuck', ['s1', 's2', 's3', 's4'], ask(silence.promise));
    await lanes.run('well', ['w1', 'w2', 'w3'], ask(true));
    void lanes.run('stuck', ['s5'], ask(true));
    await lanes.run('well', ['w4'], ask(true));
    assert.deepEqual(asked.toSorted(), ['s1', 's2', 'w1', 'w2', 'w3', 'w4']);
    silence.resolve(false);
    await stuck;
    assert.deepEqual(
      asked.filter((item) => item.startsWith('s')),
      ['s1', 's2'],
      'the rest is left for another time',
    );
    await lanes.run('stuck', ['s6'], ask(true));
    assert.equal(asked.at(-1), 's6');
  });

  it('go on after work that throws, and close when nothing is under way', async () => {
    const failed: unknown[] = [];
    const lanes = createLanes({ atOnce: 1, onFailed: (error) => failed.push(error) });
    const done: number[] = [];
    void lanes.run('h', [1, 2, 3], async (item) => {
      if (item === 2) throw new Error('away');
      done.push(item);
      return true;
    });
    await lanes.close();
    assert.deepEqual([done, failed.length], [[1, 3], 1]);
  });
});
