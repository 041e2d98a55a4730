import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { GuestCommand } from './guest-command.ts';
import { createRetries, type Retries } from './retries.ts';

const look = (selector: string, sessionId = 'page'): GuestCommand => ({
  id: 1,
  method: 'Runtime.callFunctionOn',
  params: { arguments: [{ value: `locator resolved to ${selector}` }] },
  sessionId,
});
const press: GuestCommand = { id: 2, method: 'Input.dispatchMouseEvent', params: {}, sessionId: 'page' };

describe('why an input was refused', () => {
  let said: string[];
  let retries: Retries;
  beforeEach(() => {
    said = [];
    const say = (_: GuestCommand, message: object) => said.push(JSON.stringify(message));
    retries = createRetries({ say, isOfPage: (sessionId) => sessionId !== 'frame' });
  });

  it('is told when the same element is looked for again, once', () => {
    assert.ok(!retries.isToldWhy(look('#pay')));
    retries.refused(press, 'a person has to say yes');
    assert.ok(retries.isToldWhy(look('#pay')));
    assert.match(said.join(), /Error: a person has to say yes/);
    assert.ok(!retries.isToldWhy(look('#pay')));
  });

  it('is told in a frame, whose input comes in the session of its page', () => {
    retries.isToldWhy(look('#more'));
    retries.isToldWhy(look('#pay', 'frame'));
    retries.refused(press, 'no');
    assert.ok(!retries.isToldWhy(look('#more')));
    assert.ok(retries.isToldWhy(look('#pay', 'frame')));
  });

  it('is not told to another action', () => {
    retries.isToldWhy(look('#pay'));
    retries.isToldWhy(look('#pay', 'other page'));
    retries.refused(press, 'no');
    assert.ok(!retries.isToldWhy(look('#pay', 'other page')));
    assert.ok(!retries.isToldWhy(look('#more')));
    assert.ok(!retries.isToldWhy(look('#pay')), 'it was looked for by another since');
    retries.isToldWhy(look('#more'));
    retries.released(press);
    retries.refused(press, 'no');
    assert.ok(!retries.isToldWhy(look('#more')), 'that click was done');
    assert.deepEqual(said, []);
  });
});
