import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatAgo, formatLength, formatUntil } from './format.ts';

const now = Date.parse('2026-11-17T12:00:00Z');
const at = (ms: number) => new Date(now + ms).toISOString();

it('lengths are told in one unit, never too many', () => {
  const cases: [number, string][] = [
    [-5, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_600_000, '1 h'],
    [86_400_000, '1 day'],
    [4 * 86_400_000, '4 days'],
  ];
  for (const [ms, words] of cases) assert.equal(formatLength(ms), words);
});

it('moments are told from now, and by their day when they are far', () => {
  assert.equal(formatAgo(at(-1000), now), 'just now');
  assert.equal(formatAgo(at(-180_000), now), '3 min ago');
  assert.equal(formatAgo('2026-01-12T12:00:00Z', now), '12 Jan');
  assert.equal(formatAgo('2025-01-12T12:00:00Z', now), '12 Jan 2025');
  assert.equal(formatUntil(at(6 * 86_400_000), now), 'in 6 days');
  assert.equal(formatUntil(at(-1), now), 'ended');
});
