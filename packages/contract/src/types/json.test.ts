import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Json, JsonObject, maxJsonDepth } from './json.ts';
import { text } from './text.ts';

const unstorable = ['\0', 'a\0b', '\ud800', 'x\udc00y', '\udc00\ud800'];
const accepts = (value: unknown) => Json.safeParse(value).success;
const nested = (depth: number): unknown => (depth === 0 ? 'leaf' : [nested(depth - 1)]);

test('text that PostgreSQL cannot hold is refused', () => {
  for (const value of unstorable) assert.ok(!text(100).safeParse(value).success, JSON.stringify(value));
  assert.ok(text(100).safeParse('häßlich 👍 \u0001').success);
});

test('text is bounded at both ends', () => {
  assert.ok(!text(3, 1).safeParse('').success);
  assert.ok(text(3, 1).safeParse('abc').success);
  assert.ok(!text(3, 1).safeParse('abcd').success);
});

test('text that PostgreSQL cannot hold is refused at any depth of JSON, in keys too', () => {
  const anywhere = fc.constantFrom(...unstorable).chain(
    (bad) =>
      fc.letrec<{ tree: unknown }>((tie) => ({
        tree: fc.oneof(
          { maxDepth: 5 },
          fc.constant<unknown>(bad),
          fc.tuple(fc.jsonValue(), tie('tree')),
          tie('tree').map((inside) => ({ sibling: 1, inside })),
          fc.constant<unknown>({ [bad]: null }),
        ),
      })).tree,
  );
  fc.assert(fc.property(anywhere, (value) => !accepts(value)));
});

test('any other JSON is taken and given back as it was', () => {
  const value = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' });
  const storable = value.filter((json) => !JSON.stringify(json).includes('\\u0000'));
  fc.assert(fc.property(storable, (json) => assert.deepEqual(Json.parse(json), json)));
});

test('JSON may be nested to the limit and no further', () => {
  assert.ok(accepts(nested(maxJsonDepth)));
  assert.ok(!accepts(nested(maxJsonDepth + 1)));
  assert.ok(!accepts(nested(5000)));
});

test('values that JSON cannot represent are refused', () => {
  for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, Symbol('s'), () => 1]) {
    assert.ok(!accepts(value), String(value));
    assert.ok(!JsonObject.safeParse({ value }).success, String(value));
  }
});

test('a JSON object is neither an array nor a plain value', () => {
  for (const value of [[], 'x', 1, null, true]) assert.ok(!JsonObject.safeParse(value).success);
  assert.deepEqual(JsonObject.parse({ type: 'object' }), { type: 'object' });
});
