import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fillUp } from './filling.ts';

it('a user who stores as much as they can stays within their quotas, and others are answered', async (test) => {
  const figures = await fillUp(`filling-${process.pid}`, {
    secs: 8,
    quietSecs: 2,
    quotas: { files: 1, pictures: 1, states: 3 },
  });
  test.diagnostic(JSON.stringify(figures));
  assert.ok(figures.is_within, JSON.stringify(figures));
  const { accepted, refused } = figures.calls_of_the_filling_user;
  assert.ok(accepted > 10 && refused > 0, 'it has filled, and was refused');
  // Loose, because both share two busy cores with everything else here.
  assert.ok(figures.other_user_ms.p95_ratio < 40, JSON.stringify(figures.other_user_ms));
});
