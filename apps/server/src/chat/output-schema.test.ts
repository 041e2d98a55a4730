import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { schemaProblem } from './output-schema.ts';

const usable: object[] = [
  { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] },
  { type: 'array', items: { type: 'string', format: 'date' } },
  { anyOf: [{ type: 'string' }, { type: 'null' }] },
  { $defs: { item: { type: 'string' } }, type: 'array', items: { $ref: '#/$defs/item' } },
];
const refused: [object, RegExp][] = [
  [{ type: 'string', pattern: '^(a+)+$' }, /must not use "pattern"/],
  [{ type: 'object', patternProperties: { '^(a+)+$': {} } }, /must not use "patternProperties"/],
  [{ type: 'object', properties: { deep: { items: { pattern: 'x' } } } }, /must not use "pattern"/],
  [{ type: 'string', format: 'regex' }, /"format": "regex"/],
  [{ not: { type: 'string' } }, /cannot be used/],
  [{ $ref: 'https://schemas.example/x.json' }, /cannot be used/],
  [{ enum: ['x'.repeat(30_000)] }, /at most 20000 characters/],
];

describe('the schema of a result', () => {
  for (const schema of usable)
    it(`is taken: ${JSON.stringify(schema).slice(0, 60)}`, () => assert.equal(schemaProblem(schema), undefined));
  for (const [schema, reason] of refused)
    it(`is refused: ${JSON.stringify(schema).slice(0, 60)}`, () => assert.match(schemaProblem(schema) ?? '', reason));

  it('that is nested deeply is answered at once', () => {
    let schema: object = { type: 'string' };
    for (let i = 0; i < 700; i += 1) schema = { type: 'array', items: schema };
    const took = Array.from({ length: 3 }, () => {
      const began = performance.now();
      schemaProblem(schema);
      return performance.now() - began;
    });
    // The others stalled with the machine.
    assert.ok(Math.min(...took) < 100, took.join());
  });
});
