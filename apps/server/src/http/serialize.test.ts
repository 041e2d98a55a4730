import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { serialize } from './serialize.ts';

const Row = z.object({
  id: z.string(),
  inner: z.object({ a: z.int() }).nullable(),
  tags: z.array(z.object({ b: z.string() })).optional(),
});
const write = (schema: z.ZodType, value: unknown) => JSON.parse(serialize({ schema, method: 'GET', url: '/' })(value));

it('a reply has the fields of the contract and no others, however deep', () => {
  const secret = { password_hash: 'x' };
  const given = {
    rows: [
      { id: '1', inner: { a: 1, ...secret }, tags: [{ b: 'c', ...secret }], ...secret },
      { id: '2', inner: null },
    ],
    ...secret,
  };
  assert.deepEqual(write(z.object({ rows: z.array(Row) }), given), {
    rows: [
      { id: '1', inner: { a: 1 }, tags: [{ b: 'c' }] },
      { id: '2', inner: null },
    ],
  });
});

it('fields that the contract leaves open stay', () => {
  assert.deepEqual(write(z.looseObject({ a: z.int() }), { a: 1, more: true }), { a: 1, more: true });
});
