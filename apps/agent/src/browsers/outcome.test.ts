import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Failure, Picture } from '@pilothouse/bus';
import { actedReply } from '../../testing/scripted-browsers.ts';
import { outcomeOf } from './outcome.ts';

const image = new Uint8Array([9, 9, 9]);
const place = { url: 'https://shop.test/', title: 'Shop' };
const picture: Picture = {
  content_type: 'image/jpeg',
  width: 10,
  height: 10,
  device_scale: 1,
  route: { session: 's', page: null, frame: null, url: place.url, title: place.title },
  private: false,
  epoch: 1,
};
const acted = actedReply({ before: place, after: place, picture });
const failure = (code: Failure, has_touched = false) => ({
  head: { ok: false as const, failure: code, message: 'why', has_touched },
  body: new Uint8Array(),
});

describe('the answer of a host', () => {
  for (const [hasTouched, isUnheard] of [
    [false, true],
    [true, false],
  ] as const)
    it(`"no_lease" means "not now"; ${isUnheard ? 'it is sent again' : 'the step was cut'}`, () =>
      assert.deepEqual(outcomeOf(failure('no_lease', hasTouched)), {
        type: 'lost',
        reason: 'why',
        mayHaveActed: hasTouched,
        isUnheard,
        isKept: true,
      }));

  for (const code of ['no_session', 'stale_epoch', 'crashed'] as const)
    it(`"${code}" means that the browser is lost`, () =>
      assert.deepEqual(outcomeOf(failure(code, true)), {
        type: 'lost',
        reason: 'why',
        mayHaveActed: true,
        isUnheard: false,
      }));

  it('"full" and others mean that the step failed, and the browser is still there', () =>
    assert.deepEqual(outcomeOf(failure('covered', true)), {
      type: 'failed',
      failure: 'covered',
      message: 'why',
      hasTouched: true,
    }));

  it('a picture that everybody may see is kept as it is', () => {
    const outcome = outcomeOf({ head: acted, body: image });
    assert.ok(outcome.type === 'acted' && outcome.image === image);
  });

  it('a picture that only the driver may see is replaced before anything else reads it', () => {
    const outcome = outcomeOf({ head: { ...acted, picture: { ...picture, private: true } }, body: image });
    assert.ok(outcome.type === 'acted');
    assert.notDeepEqual(outcome.image, image);
    assert.equal(outcome.acted.picture?.private, true);
  });

  it('texts of the page that the database does not hold are made fit for it', () => {
    const broken = { url: place.url, title: 'half \ud83d nul \0' };
    const outcome = outcomeOf({ head: { ...acted, after: broken, data: [broken.title] }, body: image });
    assert.ok(outcome.type === 'acted');
    const said = JSON.stringify([outcome.acted.after, outcome.acted.data]);
    assert.ok(!said.includes('\\ud83d') && !said.includes('\\u0000'), said);
  });

  it('an answer to something else is an error, and no success', () => {
    const head = { ok: true, type: 'watching' } as const;
    assert.throws(() => outcomeOf({ head, body: image }), /answered an act with "watching"/);
  });
});
