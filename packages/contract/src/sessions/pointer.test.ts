import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PointerRequest } from './pointer.ts';

const accepts = (body: unknown) => PointerRequest.safeParse(body).success;
const click = { action: 'click', x: 10, y: 20.5 };

test('a route alone is a route sync; missing fields are null', () => {
  assert.deepEqual(PointerRequest.parse({ route: { url: 'https://example.com' } }), {
    actions: [{ action: 'route', route: { page: null, frame: null, url: 'https://example.com', title: null } }],
  });
});

test('one action reads as a list of one, with its defaults', () => {
  assert.deepEqual(PointerRequest.parse({ ...click, takeover_id: 't', input_seq: 3 }), {
    actions: [{ ...click, button: 'left', modifiers: [], takeover_id: 't', input_seq: 3 }],
  });
});

test('several uses are taken in order', () => {
  const { actions } = PointerRequest.parse({
    actions: [{ route: {} }, { action: 'focus', page: 'p1' }, click, { action: 'type', text: 'hello' }],
  });
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['route', 'focus', 'click', 'type'],
  );
});

test('a list holds 1 to 64 actions', () => {
  const list = (length: number) => ({ actions: Array(length).fill(click) });
  assert.ok(accepts(list(1)) && accepts(list(64)));
  assert.ok(!accepts(list(0)) && !accepts(list(65)));
});

test('every kind of input of the interface is taken', () => {
  const at = { x: 1, y: 2 };
  const inputs: object[] = [
    ...['move', 'click', 'double_click', 'down', 'up'].map((action) => ({ action, ...at })),
    { action: 'scroll', delta_y: 120 },
    { action: 'type', text: 'a' },
    { action: 'compose', text: '' },
    { action: 'key', key: 'Enter', modifiers: ['Shift'] },
    { action: 'paste', text: 'a' },
    { action: 'navigate', url: 'https://example.com' },
    ...['back', 'forward', 'reload', 'new_page', 'close_page'].map((action) => ({ action })),
    { action: 'answer_dialog', accept: true, text: 'yes' },
    { action: 'answer_dialog', accept: false, dialog_id: 'd1' },
    { action: 'choose_files', files: [], chooser_id: 'c1' },
    { action: 'choose_option', select_id: 's1', option: 0 },
    { action: 'choose_option', select_id: 's1', option: null },
    { action: 'set_value', picker_id: 's2', value: '2026-11-17' },
  ];
  for (const input of inputs) assert.ok(accepts(input), JSON.stringify(input));
});

test('input that makes no sense is refused', () => {
  const nonsense: unknown[] = [
    undefined,
    {},
    [],
    { action: 'fly' },
    { action: 'click' },
    { ...click, x: Number.NaN },
    { ...click, x: 1e9 },
    { ...click, x: '10' },
    { ...click, button: 'fourth' },
    { ...click, input_seq: -1 },
    { ...click, input_seq: 0 },
    { action: 'answer_dialog' },
    { action: 'choose_option', select_id: 's1' },
    { action: 'choose_option', select_id: '', option: 1 },
    { action: 'choose_option', select_id: 's1', option: -1 },
    { action: 'set_value', picker_id: 's2' },
    { action: 'set_value', picker_id: 's2', value: 'x'.repeat(101) },
    { ...click, input_seq: 1.5 },
    { action: 'type', text: 'a\0' },
    { action: 'key', key: 'a', modifiers: ['Hyper'] },
    { action: 'navigate', url: 'file:///etc/passwd' },
    { action: 'focus' },
    { route: null },
  ];
  for (const body of nonsense) assert.ok(!accepts(body), JSON.stringify(body));
});
