import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, it } from 'node:test';
import type { Json } from '@pilothouse/contract';
import { checkData } from './data-check.ts';

const longestStallMs = 100;
const tries = 3;
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const price = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
/** Each definition names the next one twice, so that there are 2^n ways through them. */
const doubled = (n: number) => ({
  $defs: Object.fromEntries(
    times(n, (i) => [
      `d${i}`,
      i + 1 < n ? { anyOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] } : { type: 'string' },
    ]),
  ),
  $ref: '#/$defs/d0',
});
const hostile: [what: string, schema: object, data: Json][] = [
  ['definitions that name two others each', doubled(40), 5],
  [
    'a wide choice for much data',
    { type: 'array', items: { anyOf: times(1200, (i) => ({ const: i })) } },
    times(5000, String),
  ],
  ['a long list of choices', { type: 'array', items: { enum: times(2500, (i) => `v${i}`) } }, times(5000, String)],
  ['a pattern that tries every way', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(40)}!`],
];

const problemOf = async (data: Json, schema: object, limitMs?: number) =>
  (await checkData(data, { schema, texts: ['It costs 3 dollars.'] }, limitMs)).problem;

/** A machine that is busy stalls by itself, so the best of some tries counts. */
async function checkStall(work: () => Promise<void>): Promise<void> {
  const stalls: number[] = [];
  while (stalls.length < tries && !(Math.min(...stalls) <= longestStallMs)) {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await work();
    delay.disable();
    stalls.push(delay.max / 1_000_000);
  }
  assert.ok(Math.min(...stalls) <= longestStallMs, stalls.join());
}

describe('data beside a schema', () => {
  it('fits, or is told in a few words what does not', async () => {
    assert.equal(await problemOf({ price: 3 }, price), undefined);
    assert.match((await problemOf({ price: 'dear' }, price)) ?? '', /^price: Invalid input: expected number/);
    const long = await problemOf('x', { enum: times(2500, (i) => `v${i}`) });
    assert.ok(long && long.length <= 300, long);
  });

  it('names what was seen nowhere, also without a schema', async () => {
    const known = { schema: price, texts: ['It costs 3 dollars.'] };
    assert.deepEqual((await checkData({ price: 3 }, known)).ungrounded, []);
    assert.deepEqual((await checkData({ price: 4 }, known)).ungrounded, ['price']);
    assert.deepEqual((await checkData(['a whale'], { ...known, schema: null })).ungrounded, ['0']);
  });

  it('is searched for in everything that the task has read, while the agent works for other tasks', () => {
    const rows = times(2000, (i) => ({ name: `ship ${i}`, port: `port ${i} of many` }));
    const texts = [JSON.stringify(rows), '1 234 567,89 '.repeat(50_000)];
    return checkStall(async () =>
      assert.deepEqual((await checkData(rows, { schema: null, texts }, 1000)).ungrounded, []),
    );
  });

  for (const [what, schema, data] of hostile)
    it(`does not fit in the end, and the agent goes on meanwhile: ${what}`, () =>
      checkStall(async () => assert.ok(await problemOf(data, schema, 1000))));
});
