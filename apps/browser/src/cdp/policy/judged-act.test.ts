import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sightingOf } from '../acts/sighting.ts';
import { createHeldDown } from '../fence/held-down.ts';
import { createSwitches } from '../fence/switches.ts';
import { methodsWith, verdictOf } from '../filter/commands.ts';
import { createKnownContexts } from '../filter/known-contexts.ts';
import { heldBy, isInput, judgedActOf, loneReleaseOf } from './judged-act.ts';

const at = { x: 5, y: 7 };
const click = { action: 'click', target: 'what is touched' };
const enter = { action: 'press', key: 'Enter' };
const pasting = { action: 'press', key: 'Control+v' };
const pastingToo = { action: 'press', key: 'Control+V' };

describe('an act of a program that is judged', () => {
  const rows: [string, Record<string, unknown>, object | undefined, unknown?][] = [
    ['Input.dispatchMouseEvent', { type: 'mousePressed', button: 'left', ...at }, click, { points: [at] }],
    ['Input.dispatchMouseEvent', { type: 'mouseMoved', ...at }, undefined],
    ['Input.dispatchMouseEvent', { type: 'mouseReleased', ...at }, undefined],
    ['Input.synthesizeTapGesture', at, click, { points: [at] }],
    ['Input.emulateTouchFromMouseEvent', { type: 'mousePressed', ...at }, click, { points: [at] }],
    ['Input.synthesizeScrollGesture', at, undefined],
    ['Input.synthesizeScrollGesture', { ...at, gestureSourceType: 'touch' }, click, { points: [at] }],
    ['Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [at, { x: 1, y: 2 }] }, click],
    // A move puts down every finger that was not down.
    ['Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ ...at, id: 7 }] }, click, { points: [at] }],
    ['Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }, undefined],
    ['Input.dispatchKeyEvent', { type: 'keyDown', key: 'Enter', text: '\r' }, enter, 'focus'],
    // Chromium goes by the number, and by the text of a `char`.
    ['Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'a', windowsVirtualKeyCode: 13 }, enter, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'char', text: '\r' }, enter, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'keyDown', code: 'NumpadEnter' }, enter, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'keyDown', key: ' ', text: ' ' }, { action: 'press', key: 'Space' }, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'keyDown', key: 'Delete' }, { action: 'press', key: 'Delete' }, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'keyUp', key: 'Enter' }, undefined],
    ['Input.dispatchKeyEvent', { type: 'keyDown', key: 'ArrowDown' }, { action: 'press', key: 'ArrowDown' }, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'v', modifiers: 2 }, pasting, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'keyDown', key: 'V', modifiers: 2, commands: ['paste'] }, pastingToo, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'keyDown', code: 'KeyX' }, { action: 'press', key: 'KeyX' }, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'keyDown' }, { action: 'press', key: 'Unidentified' }, 'focus'],
    ['Input.dispatchKeyEvent', { type: 'char' }, undefined],
    ['Input.insertText', { text: 'hello' }, { action: 'type', target: 'what is touched', text: 'hello' }, 'focus'],
    ['Page.navigate', { url: 'https://shop.test/' }, { action: 'navigate', url: 'https://shop.test/' }],
    ['Target.createTarget', { url: 'about:blank' }, { action: 'new_page', url: 'about:blank' }],
    ['Page.handleJavaScriptDialog', { accept: true }, { action: 'answer_dialog', accept: true }],
    ['Runtime.evaluate', { expression: '1' }, undefined],
  ];
  for (const [method, params, step, by] of rows)
    it(`${method} ${JSON.stringify(params)}`, () => {
      const act = judgedActOf(method, params);
      assert.deepEqual(act && 'step' in act ? act.step : act, step);
      if (by) assert.deepEqual(act && 'by' in act && act.by, by);
    });

  it('judges every point of a touch', () => {
    const touch = (touchPoints: object[]) =>
      judgedActOf('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    assert.deepEqual(touch([at, { x: 1, y: 2 }]), { step: click, by: { points: [at, { x: 1, y: 2 }] } });
    assert.deepEqual(Object.keys(touch(Array.from({ length: 11 }, () => at)) ?? {}), ['refuse']);
  });

  it('is read whatever a program sends in the place of a text, a number or a finger', () => {
    const hostile = { toString: 1, valueOf: 1 };
    for (const value of [null, 1, hostile, [hostile], [null]]) {
      const params = { url: value, x: value, y: value, button: value, touchPoints: [value], text: value, key: value };
      for (const method of [...methodsWith('allow'), ...methodsWith('rewrite')])
        for (const type of [
          'mousePressed',
          'mouseReleased',
          'touchStart',
          'touchMove',
          'keyDown',
          'keyUp',
          'drop',
          value,
        ]) {
          const all = { ...params, type, modifiers: value, code: value };
          for (const read of [judgedActOf, loneReleaseOf, heldBy, sightingOf]) read(method, all);
          const held = createHeldDown();
          held.note('s', method, all);
          held.wasLetGo('s', method, all);
          held.isUpAlready('s', method, all);
          createSwitches().note('s', method, { ...all, offline: false, latency: 0, downloadThroughput: value });
          createKnownContexts().failed('s', method, { contextId: value, uniqueContextId: value });
        }
    }
  });

  it('tells keys apart by key, code, number and place, so that a release is of the key that was pressed', () => {
    const name = (params: object) => heldBy('Input.dispatchKeyEvent', { type: 'keyUp', ...params })?.name;
    const names = [
      ...[{ code: 'KeyA', key: 'a' }, { code: 'KeyA', key: 'Enter' }, { key: 'a' }, {}],
      ...[{ code: 'KeyA', key: 'a', windowsVirtualKeyCode: 13 }],
    ].map(name);
    assert.equal(new Set(names).size, names.length);
    const enterUp = { type: 'keyUp', code: 'KeyA', key: 'Enter', windowsVirtualKeyCode: 13 };
    assert.deepEqual(loneReleaseOf('Input.dispatchKeyEvent', enterUp), { step: enter, by: 'focus' });
  });

  it('knows what is pressed and what is let go of', () => {
    const down = heldBy('Input.dispatchMouseEvent', { type: 'mousePressed', button: 'left' });
    const up = heldBy('Input.dispatchMouseEvent', { type: 'mouseReleased', button: 'left' });
    assert.deepEqual([down?.name, down?.isDown, up?.isDown], ['button left', true, false]);
    assert.equal(up?.name, down?.name);
    assert.equal(heldBy('Input.insertText', { text: 'x' }), undefined);
  });
});

describe('a command of hand or keyboard that is let through', () => {
  const all = [...methodsWith('allow'), ...methodsWith('rewrite')].filter(isInput);
  const types: Record<string, string> = {
    'Input.dispatchDragEvent': 'drop',
    'Input.dispatchKeyEvent': 'keyDown',
    'Input.dispatchMouseEvent': 'mousePressed',
    'Input.dispatchTouchEvent': 'touchStart',
    'Input.emulateTouchFromMouseEvent': 'mousePressed',
  };
  const paramsOf = (method: string) => ({
    ...{ ...at, type: types[method], button: 'left', touchPoints: [at], gestureSourceType: 'touch' },
    ...{ key: 'ArrowDown', text: 'a', data: {}, xDistance: 1, yDistance: 1, enabled: true },
  });
  /** They neither press nor write. */
  const others = new Set(['Input.cancelDragging', 'Input.setInterceptDrags']);
  /** A gesture lifts its own fingers, and a text has none. */
  const goesUp = new Set([
    'Input.imeSetComposition',
    'Input.insertText',
    'Input.synthesizeScrollGesture',
    'Input.synthesizeTapGesture',
  ]);

  for (const method of all.filter((one) => !others.has(one)))
    it(`${method} is judged, told, and let go of`, () => {
      const params = paramsOf(method);
      assert.ok(judgedActOf(method, params), 'it is judged');
      assert.ok(sightingOf(method, params), 'it has a line in the ledger');
      const held = createHeldDown();
      // What is dropped is not dragged any more.
      held.note('s', method, { ...params, ...(params.type === 'drop' && { type: 'dragOver' }) });
      assert.equal(held.release().length > 0, !goesUp.has(method), 'it is let go of for another driver');
    });

  it('is told as what a person would have done', () => {
    const drag = { type: 'drop', ...at, data: {} };
    assert.deepEqual(sightingOf('Input.dispatchDragEvent', drag), { type: 'drop', point: at });
    assert.equal(sightingOf('Input.dispatchDragEvent', { ...drag, type: 'dragOver' }), undefined);
    assert.deepEqual(sightingOf('Input.synthesizeScrollGesture', { ...at, yDistance: -300 }), {
      ...{ type: 'wheel', point: at, delta: { x: 0, y: 300 } },
    });
    assert.equal(sightingOf('Input.emulateTouchFromMouseEvent', { type: 'mouseReleased', ...at }), undefined);
    assert.equal(sightingOf('Input.imeSetComposition', { text: '' }), undefined);
  });

  it('is refused where nobody would see what it does', () => {
    for (const method of ['WebMCP.invokeTool', 'Network.replayXHR']) assert.equal(verdictOf(method), 'refuse');
  });
});
