import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Attack, SharedStack } from './attack.ts';
import { openSharedStack } from './open-stack.ts';
import { attacks, runAttacks } from './run.ts';

const stackName = `attack-${process.pid}`;
const sharing = (how: Attack['sharing']) => attacks.filter((attack) => attack.sharing === how);

function holdsAgainst({ name, what }: Attack, shared?: () => SharedStack): void {
  it(`${name}: ${what}`, async () => {
    const attack = async () => {
      const [report] = await runAttacks({ names: [name], stackName, isSmall: true, shared: shared?.() });
      assert.ok(report);
      assert.ok(report.tried > 0, 'something was tried');
      return report;
    };
    // What honest users do beside it, or before it can begin, may fail on a busy machine. That says nothing of the attack: both
    // run once more. What an attack reached, it has reached.
    const first = await attack().catch((error: Error) => ({ reached: [], broken: [error.message] }));
    assert.deepEqual(first.reached, []);
    if (!first.broken?.length) return;
    const { reached, broken = [] } = await attack();
    assert.deepEqual({ reached, broken }, { reached: [], broken: [] }, `the first time: ${first.broken.join('; ')}`);
  });
}

describe('the system holds against', () => {
  describe('one after the other,', () => {
    for (const attack of sharing(undefined)) holdsAgainst(attack);
  });

  describe('in one stack,', () => {
    let shared: SharedStack;
    before(async () => {
      // Each may run twice.
      shared = await openSharedStack(stackName, 2 * attacks.length);
    });
    after(() => shared.close());

    // Most of their time they wait for what must not come.
    describe('some at a time,', { concurrency: 3 }, () => {
      for (const attack of sharing('beside others')) holdsAgainst(attack, () => shared);
    });
    for (const attack of sharing('in turn')) holdsAgainst(attack, () => shared);
  });
});

it('an attack that nobody knows is refused by name', async () => {
  await assert.rejects(
    runAttacks({ names: ['no-such-attack'], stackName: 'none', isSmall: true }),
    /no such attack: no-such-attack/,
  );
});
