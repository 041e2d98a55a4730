import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createArming } from './arming.ts';

function begin({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] });
  let armed = 0;
  const arming = createArming({ parts: ['act', 'buttons'], onArmed: () => (armed += 1) });
  return { arming, pass: (ms: number) => mock.timers.tick(ms), armed: () => armed };
}

it('a yes is armed 800 ms after the whole card was seen', (t) => {
  const { arming, pass, armed } = begin(t);
  pass(5000);
  assert.equal(armed(), 0, 'not seen yet');
  arming.sees('buttons', true);
  pass(5000);
  assert.equal(armed(), 0, 'what it is for was not seen');
  arming.sees('act', true);
  pass(799);
  assert.equal(armed(), 0);
  pass(1);
  assert.equal(armed(), 1);
});

it('the time begins again when the buttons leave the sight, and not when the words above them do', (t) => {
  const { arming, pass, armed } = begin(t);
  arming.sees('act', true);
  arming.sees('buttons', true);
  pass(700);
  arming.sees('buttons', false);
  pass(5000);
  arming.sees('buttons', true);
  arming.sees('act', false);
  pass(700);
  assert.equal(armed(), 0);
  pass(100);
  assert.equal(armed(), 1);
});

it('a page that is hidden arms nothing', (t) => {
  const { arming, pass, armed } = begin(t);
  arming.shows(false);
  arming.sees('act', true);
  arming.sees('buttons', true);
  pass(5000);
  assert.equal(armed(), 0);
  arming.shows(true);
  pass(799);
  assert.equal(armed(), 0);
  pass(1);
  assert.equal(armed(), 1);
});

it('a card that is gone arms nothing', (t) => {
  const { arming, pass, armed } = begin(t);
  arming.sees('act', true);
  arming.sees('buttons', true);
  arming.close();
  pass(5000);
  assert.equal(armed(), 0);
});
