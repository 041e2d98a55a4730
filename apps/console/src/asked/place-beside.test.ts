import assert from 'node:assert/strict';
import { it } from 'node:test';
import { placeBeside } from './place-beside.ts';

const page = { width: 1280, height: 720 };
const picture = { width: 640, height: 360 };
const wanted = { width: 200, height: 120 };

it('stands under its field, at the scale of the picture', () => {
  const place = placeBeside({ x: 100, y: 160, width: 600, height: 40 }, page, picture, wanted);
  assert.deepEqual(place, { left: 50, width: 300, maxHeight: 256, top: 100 });
});

it('stands over its field where there is more room, and stays within the picture', () => {
  const place = placeBeside({ x: 1240, y: 640, width: 40, height: 40 }, page, picture, wanted);
  assert.deepEqual(place, { left: 436, width: 200, maxHeight: 316, bottom: 40 });
});

it('stays visible for a field that lies outside of the picture', () => {
  const place = placeBeside({ x: -500, y: 2000, width: 5000, height: 40 }, page, picture, wanted);
  assert.deepEqual(place, { left: 4, width: 632, maxHeight: 356, bottom: 0 });
});
