import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';

test('keys stand in the order of their code units, on every level, without white space', () => {
  assert.equal(
    canonicalJson({ b: 1, a: { z: [1, { y: 2, x: 3 }], '': null } }),
    '{"a":{"":null,"z":[1,{"x":3,"y":2}]},"b":1}',
  );
  // U+10000 is before U+FFFF by code units, and behind it by code points: RFC 8785 counts units.
  assert.equal(canonicalJson({ '\uffff': 1, '\u{10000}': 2 }), '{"\u{10000}":2,"\uffff":1}');
  assert.equal(canonicalJson({ 10: 'a', 9: 'b' }), '{"10":"a","9":"b"}');
});

test('each number has one form, and there is one zero', () => {
  const written = [-0, 0.1, 1e21, 1e-7, 100, 1.5e3, 0.1 + 0.2, 2 ** 53].map((value) => canonicalJson(value));
  assert.deepEqual(written, ['0', '0.1', '1e+21', '1e-7', '100', '1500', '0.30000000000000004', '9007199254740992']);
});

test('a field that is undefined is absent, and what JSON has no word for is refused', () => {
  assert.equal(canonicalJson({ a: undefined, b: null }), '{"b":null}');
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  for (const value of [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1n,
    () => 1,
    [undefined],
    new Date(),
    new Map(),
    '\ud800',
    cyclic,
  ])
    assert.throws(() => canonicalJson({ value }), TypeError);
});

test('a key named __proto__ is a key like others', () => {
  assert.equal(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}')), '{"__proto__":{"a":2},"b":1}');
});

test('any JSON that was read is written to the same text, whatever the order of its keys was', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, item]) => [key, shuffled(item)]),
    );
  };
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }), (value) => {
      const text = canonicalJson(value);
      assert.equal(canonicalJson(JSON.parse(text)), text);
      assert.equal(canonicalJson(shuffled(value)), text);
    }),
    { numRuns: 100, seed: 11 },
  );
});
