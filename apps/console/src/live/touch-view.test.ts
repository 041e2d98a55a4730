import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillView, panView, pinchView } from './touch-view.ts';

const bounds = { space: { width: 390, height: 390 }, picture: { width: 390, height: 195 } };

describe('the page under fingers', () => {
  it('begins as high as the space, at the left edge', () => {
    assert.deepEqual(fillView(bounds), { x: 0, y: 0, scale: 2 });
  });

  it('is moved by one finger as far as its edge, and scrolls by the rest', () => {
    const { view, scroll } = panView(fillView(bounds), { x: -100, y: -40 }, bounds);
    assert.deepEqual(view, { x: -100, y: 0, scale: 2 });
    assert.deepEqual(scroll, { x: 0, y: 20 });
    assert.equal(panView(view, { x: -900, y: 0 }, bounds).view.x, -390);
  });

  it('is zoomed around the place between two fingers, never smaller than the space and never too large', () => {
    const view = pinchView({ x: 0, y: 0, scale: 2 }, 1.5, { x: 100, y: 100 }, bounds);
    assert.deepEqual(view, { x: -50, y: -50, scale: 3 });
    assert.equal(pinchView(view, 0.01, { x: 0, y: 0 }, bounds).scale, 1);
    assert.equal(pinchView(view, 100, { x: 0, y: 0 }, bounds).scale, 4);
    assert.deepEqual(pinchView(view, 0.01, { x: 0, y: 0 }, bounds), { x: 0, y: 97.5, scale: 1 });
  });
});
