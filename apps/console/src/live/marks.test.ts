import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Overlay } from './api-types.ts';
import { currentOverlay, labelWidth, layOutMark, layOutTarget, placeLabel } from './marks.ts';

const id = '0198c4a1-0000-7000-8000-000000000001';
const overlay: Overlay = {
  overlay_id: 'o1',
  session_id: id,
  task_id: id,
  step_id: 's1',
  seq: 4,
  recorded_at: '2026-11-01T12:00:00.000Z',
  source: 'execution',
  kind: 'click',
  label: 'Click “Find”',
  bbox: { x: 100, y: 50, width: 200, height: 40 },
  point: null,
  data: {},
};
const frame = { width: 1280, height: 720, device_scale: 1 };
const view = { width: 640, height: 360 };
const wide = { width: 1280, height: 720 };

describe('a mark', () => {
  it('is drawn over its element, also in a scaled picture of a fine screen', () => {
    assert.deepEqual(layOutMark(overlay, frame, view, 0).box, { x: 50, y: 25, width: 100, height: 20, isFilled: true });
    const fine = { width: 2560, height: 1440, device_scale: 2 };
    assert.deepEqual(layOutMark(overlay, fine, view, 0).box, { x: 50, y: 25, width: 100, height: 20, isFilled: true });
  });

  it('is cut at the edge, and left out beyond it', () => {
    const cut = layOutMark({ ...overlay, bbox: { x: -50, y: 700, width: 100, height: 100 } }, frame, wide, 0).box;
    assert.deepEqual(cut, { x: 0, y: 700, width: 50, height: 20, isFilled: true });
    const out = layOutMark({ ...overlay, bbox: { x: 0, y: 900, width: 10, height: 10 } }, frame, wide, 0);
    assert.equal(out.box, undefined);
    assert.equal(out.label?.isDocked, true);
  });

  it('has plain words where only its kind is told', () => {
    assert.equal(layOutMark({ ...overlay, label: 'click' }, frame, wide, 0).label?.text, 'Presses');
  });

  it('is not filled where it covers much, is faint after a while, and brass for a person', () => {
    const large = { x: 0, y: 0, width: 1280, height: 400 };
    assert.equal(layOutMark({ ...overlay, bbox: large }, frame, wide, 0).box?.isFilled, false);
    assert.equal(layOutMark(overlay, frame, wide, 3999).opacity, 1);
    assert.equal(layOutMark(overlay, frame, wide, 4000).opacity, 0.4);
    assert.equal(layOutMark({ ...overlay, source: 'human' }, frame, wide, 0).isPerson, true);
  });

  it('has its cursor at the point, or inside the box', () => {
    assert.deepEqual(layOutMark({ ...overlay, point: { x: 10, y: 20 } }, frame, view, 0).point, { x: 5, y: 10 });
    const { box, point } = layOutMark(overlay, frame, view, 0);
    assert.ok(box && point && point.x > box.x && point.x < box.x + box.width && point.y < box.y + box.height);
  });
});

describe('the target of an approval', () => {
  it('has its frame around it, and its words beside it', () => {
    const target = layOutTarget({ x: 100, y: 50, width: 200, height: 40 }, 'Wants to click', frame, wide);
    assert.deepEqual(target?.box, { x: 95, y: 45, width: 210, height: 50 });
    assert.ok(target.label.x > 305);
    const half = layOutTarget({ x: 100, y: 50, width: 200, height: 40 }, 'Wants to click', frame, view);
    assert.deepEqual(half?.box, { x: 45, y: 20, width: 110, height: 30 });
  });

  it('is left out where the page is scrolled away from it', () => {
    assert.equal(layOutTarget({ x: 0, y: 900, width: 10, height: 10 }, 'Wants to click', frame, wide), undefined);
  });
});

describe('a label', () => {
  const text = 'Select “2” in “Quantity”';
  const width = labelWidth(text, wide);
  const at = (x: number, y: number, boxWidth = 100) => placeLabel(text, { x, y, width: boxWidth, height: 30 }, wide);

  it('is right of the box, flips to the left, and else goes above or below', () => {
    assert.deepEqual(at(100, 100), { x: 210, y: 103, isDocked: false });
    assert.equal(at(1170, 100).x, 1170 - 10 - width);
    assert.equal(at(20, 100, 1240).y, 100 - 24 - 10);
    assert.equal(at(20, 10, 1240).y, 10 + 30 + 10);
  });

  it('stays inside at every place', () => {
    for (let x = -40; x < 1300; x += 37)
      for (let y = -40; y < 740; y += 29) {
        const label = at(x, y);
        assert.ok(label.x >= 0 && label.x + width <= 1280, `${x} ${y}`);
        assert.ok(label.y >= 0 && label.y + 24 <= 720, `${x} ${y}`);
      }
  });

  it('is a subtitle in a narrow view, and without a place', () => {
    assert.equal(placeLabel(text, { x: 1, y: 1, width: 9, height: 9 }, { width: 390, height: 219 }).isDocked, true);
    assert.equal(placeLabel(text, undefined, wide).isDocked, true);
  });
});

describe('the overlay that is drawn', () => {
  const visit = (secs: number, url: string) => ({
    recorded_at: new Date(Date.parse(overlay.recorded_at) + secs * 1000).toISOString(),
    url,
    page: 'p1',
  });
  const history = [visit(-5, 'http://shop.test/'), visit(2, 'http://shop.test/basket')];

  it('is the newest of the document that is shown', () => {
    const older = { ...overlay, overlay_id: 'o0', seq: 1 };
    const shown = { url: 'http://shop.test/#top', page: 'p1' };
    assert.equal(currentOverlay([overlay, older], history, shown)?.overlay_id, 'o1');
  });

  it('keeps only its words when the frame shows another document, also one that came in the same moment', () => {
    const shown = { url: 'http://shop.test/basket', page: 'p1' };
    const { bbox, label } = currentOverlay([overlay], history, shown) ?? {};
    assert.deepEqual([bbox, label], [null, overlay.label]);
    const led = [visit(-5, 'http://shop.test/'), visit(0, 'http://shop.test/basket')];
    assert.equal(currentOverlay([overlay], led, shown)?.bbox, null);
    assert.equal(currentOverlay([], history, shown), undefined);
  });
});
