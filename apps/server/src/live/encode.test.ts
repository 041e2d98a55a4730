import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { encodeFrame } from './encode.ts';

const view = {
  frame_id: 'f1',
  session_id: 's1',
  task_id: null,
  seq: 1,
  recorded_at: '2026-01-01T00:00:00.000Z',
  content_type: 'image/jpeg',
  width: 1280,
  height: 720,
  device_scale: 1,
  // The title of a page may be any text, also one that looks like the end of the JSON around it.
  route: { session: 's1', page: 'p1', frame: null, url: 'http://site.test/', title: 'Übersicht 東京 ""}}\n\ndata: x' },
  private: false,
} as const;

describe('a frame as an event', () => {
  it('is valid JSON for pictures of every length', () => {
    for (const length of [0, 1, 2, 3, 4, 12_287, 12_288, 12_289, 24_576, 60_001]) {
      const image = randomBytes(length + 5).subarray(5);
      const text = encodeFrame({ view, image }).toString();
      const [, name, data] = /^event: (\w+)\ndata: ([^\n]*)\n\n$/.exec(text) ?? [];
      assert.equal(name, 'frame');
      const expected = { type: 'frame', frame: { ...view, screenshot_base64: image.toString('base64') } };
      assert.deepEqual(JSON.parse(data ?? ''), expected);
    }
  });
});
