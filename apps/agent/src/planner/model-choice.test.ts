import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scriptMind } from '../../testing/scripted-mind.ts';
import { chooseModel, pauseAfter } from './model-choice.ts';

const { models } = scriptMind([]).mind;
type Call = Parameters<typeof chooseModel>[0][number];
const call = (status: Call['status'], model = 'test/one', failure: string | null = null, retry_in_ms = 0): Call => ({
  status,
  model,
  failure,
  error: failure && `It is ${failure}.`,
  retry_in_ms,
});
const busy = (model?: string, retryInMs = 0) => call('failed', model, 'unavailable', retryInMs);
const all = (name: string) => Array.from({ length: 3 }, () => busy(name));

const cases: [what: string, calls: Call[], wanted: string | null, expected: object][] = [
  ['the first call asks the default', [], null, { model: 'test/one', waitMs: 0 }],
  ['a model that was named is asked', [], 'test/two', { model: 'test/two', waitMs: 0 }],
  ['a failure waits as long as its row says', [busy('test/one', 4000)], null, { model: 'test/one', waitMs: 4000 }],
  ['then the same model is asked again', [busy()], null, { model: 'test/one', waitMs: 0 }],
  ['after three failures the next model is asked', all('test/one'), null, { model: 'test/two', waitMs: 0 }],
  [
    'an answer makes the failures before it forgotten',
    [...all('test/one'), call('ok')],
    null,
    { model: 'test/one', waitMs: 0 },
  ],
  ['a lost call says nothing of the model', [call('lost'), call('aborted')], null, { model: 'test/one', waitMs: 0 }],
  [
    'a wrong key is not tried again',
    [call('failed', 'test/one', 'unauthorized')],
    null,
    { model: 'test/two', waitMs: 0 },
  ],
  [
    'when all have failed, the first is asked again after a long wait',
    [...all('test/one'), ...all('test/two')],
    null,
    { model: 'test/one', waitMs: 0 },
  ],
  [
    'and three such waits are the last',
    [...all('test/one'), ...all('test/two'), ...all('test/one')],
    null,
    { end: 'No model answered. The last failure: It is unavailable.' },
  ],
];

describe('the model that is asked', () => {
  for (const [what, calls, wanted, expected] of cases)
    it(what, () => assert.deepEqual(chooseModel(calls, models, wanted), expected));

  it('is refused where the installation has none of that name', () => {
    assert.match(JSON.stringify(chooseModel([], models, 'test/nine')), /is not among those/);
  });

  it('is left alone for as long as its vendor wants, or longer with each failure', () => {
    assert.equal(pauseAfter([], { kind: 'rate_limited', retryAfterMs: 7000 }, models), 7000);
    assert.equal(pauseAfter([], { kind: 'unavailable' }, models), 1000);
    assert.equal(pauseAfter([busy()], { kind: 'unavailable' }, models), 2000);
    assert.equal(
      pauseAfter([...all('test/one'), busy('test/two'), busy('test/two')], { kind: 'cut' }, models),
      300_000,
    );
    assert.equal(pauseAfter([], { kind: 'unauthorized' }, models), undefined);
  });
});
