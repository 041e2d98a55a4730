import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attacks, runAttacks } from './run.ts';

describe('the system holds against', () => {
  for (const { name, what } of attacks) {
    it(`${name}: ${what}`, async () => {
      const attack = async () => {
        const [report] = await runAttacks({ names: [name], stackName: `attack-${process.pid}`, isSmall: true });
        assert.ok(report);
        assert.ok(report.tried > 0, 'something was tried');
        assert.deepEqual(report.reached, []);
        return report.broken ?? [];
      };
      // What honest users do beside it may fail on a busy machine. That says nothing of the attack: both run once more.
      const broken = await attack();
      if (broken.length > 0) assert.deepEqual(await attack(), [], `the first time: ${broken.join('; ')}`);
    });
  }
});

it('an attack that nobody knows is refused by name', async () => {
  await assert.rejects(
    runAttacks({ names: ['no-such-attack'], stackName: 'none', isSmall: true }),
    /no such attack: no-such-attack/,
  );
});
