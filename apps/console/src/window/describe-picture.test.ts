import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpenPage, PageTrouble } from '../live/api-types.ts';
import type { FrameFacts } from '../live/session-model.ts';
import { pictureState } from './describe-picture.ts';

const recorded_at = '2026-11-01T12:00:00.000Z';
const route = { session: 's', page: 'p1', frame: null, url: 'http://shop.test/', title: 'Shop' };
const frame: FrameFacts = {
  ...{ frame_id: 'f', session_id: 's', task_id: null, seq: 1, recorded_at, content_type: 'image/jpeg' },
  ...{ width: 1280, height: 720, device_scale: 1, route, private: false },
};
const session = { status: 'active', browser: 'live', profile_label: null } as const;
const shown = (pages: OpenPage[], more: Partial<Parameters<typeof pictureState>[0]> = {}) =>
  pictureState({
    ...{ session, frame, pages, takeover: null, drives: true, connection: 'connected' },
    now: Date.parse(recorded_at) + 12_000,
    ...more,
  });
const page = (trouble?: PageTrouble, active = true): OpenPage => ({ ...route, active, ...(trouble && { trouble }) });
const refused = (reason: string): PageTrouble => ({ kind: 'refused', target: '10.0.0.1:80', reason });

describe('the words over a page that does not show what was asked of it', () => {
  for (const [reason, words] of [
    ['private_address', '10.0.0.1:80 may not be reached from here: it is no public address'],
    ['metadata_address', '10.0.0.1:80 may not be reached from here: it is no public address'],
    ['denied_domain', '10.0.0.1:80 may not be reached from here: its domain is refused'],
    ['not_allowed_domain', '10.0.0.1:80 may not be reached from here: only other domains are allowed'],
    ['a reason of a later release', '10.0.0.1:80 may not be reached from here'],
  ] as const)
    it(`refused: ${reason}`, () => {
      assert.deepEqual(shown([page(refused(reason))]), { kind: 'pill', icon: 'refused', text: words, isDimmed: false });
    });

  it('crashed, with the age of the picture', () => {
    const text = 'The page crashed · picture of 12 s ago';
    const state = shown([page({ kind: 'crashed', target: null, reason: null })]);
    assert.deepEqual(state, { kind: 'pill', icon: 'broken', text, isDimmed: true });
  });

  it('none for a page behind, for a good one, and where there is more to say', () => {
    assert.deepEqual(shown([page(), page(refused('private_address'), false)]), { kind: 'shown' });
    const lost = shown([page(refused('private_address'))], { connection: 'reconnecting' });
    assert.match(JSON.stringify(lost), /Reconnecting/);
  });
});
