import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createArming } from './arming.ts';

function begin({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] });
  let armed = 0;
  const arming = createArming({ parts: ['act', 'yes'], onArmed: () => (armed += 1) });
  return { arming, pass: (ms: number) => mock.timers.tick(ms), armed: () => armed };
}

it('a yes is armed when what it is for and its button were in sight for 800 ms', (t) => {
  const { arming, pass, armed } = begin(t);
  pass(5000);
  assert.equal(armed(), 0, 'not seen yet');
  arming.sees('yes', true);
  pass(5000);
  assert.equal(armed(), 0, 'what it is for was not seen');
  arming.sees('act', true);
  pass(799);
  assert.equal(armed(), 0);
  pass(1);
  assert.equal(armed(), 1);
});

it('on a small screen one is seen after the other; in passing neither is', (t) => {
  const { arming, pass, armed } = begin(t);
  arming.sees('act', true);
  pass(700);
  arming.sees('act', false);
  arming.sees('yes', true);
  pass(5000);
  assert.equal(armed(), 0, 'what it is for was only passed by');
  arming.sees('yes', false);
  arming.sees('act', true);
  pass(800);
  assert.equal(armed(), 1);
});

it('a page that is hidden arms nothing', (t) => {
  const { arming, pass, armed } = begin(t);
  arming.shows(false);
  arming.sees('act', true);
  arming.sees('yes', true);
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
  arming.sees('yes', true);
  arming.close();
  pass(5000);
  assert.equal(armed(), 0);
});
