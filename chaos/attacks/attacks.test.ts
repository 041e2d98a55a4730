import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attacks, runAttacks } from './run.ts';

describe('the system holds against', () => {
  for (const { name, what } of attacks) {
    it(`${name}: ${what}`, async () => {
      const [report] = await runAttacks({ names: [name], stackName: `attack-${process.pid}`, isSmall: true });
      assert.ok(report);
      assert.ok(report.tried > 0, 'something was tried');
      assert.deepEqual(report.reached, []);
      assert.deepEqual(report.broken ?? [], []);
    });
  }
});

it('an attack that nobody knows is refused by name', async () => {
  await assert.rejects(
    runAttacks({ names: ['no-such-attack'], stackName: 'none', isSmall: true }),
    /no such attack: no-such-attack/,
  );
});
