import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Attack, SharedStack } from './attack.ts';
import { openSharedStack } from './open-stack.ts';
import { attacks, runAttacks } from './run.ts';

const stackName = `attack-${process.pid}`;
const sharing = (how: Attack['sharing']) => attacks.filter((attack) => attack.sharing === how);

type Failed = { name: string; why: string; shared: (() => SharedStack) | undefined };
/**
 * What honest users do beside an attack, or before it can begin, may fail on a busy machine. That says nothing of the attack: both run
 * once more, when no other attack runs. What an attack reached, it has reached.
 */
const failed: Failed[] = [];

async function attackOnce(name: string, shared: Failed['shared']) {
  const [report] = await runAttacks({ names: [name], stackName, isSmall: true, shared: shared?.() });
  assert.ok(report);
  assert.ok(report.tried > 0, 'something was tried');
  return report;
}

function holdsAgainst({ name, what }: Attack, shared?: () => SharedStack): void {
  it(`${name}: ${what}`, async (test) => {
    const { reached, broken = [] } = await attackOnce(name, shared).catch((error: Error) => ({
      reached: [],
      broken: [error.message],
    }));
    assert.deepEqual(reached, []);
    if (broken.length === 0) return;
    test.diagnostic(`runs once more: ${broken.join('; ')}`);
    failed.push({ name, why: broken.join('; '), shared });
  });
}

const holdsTheSecondTime = () =>
  it('where honest users failed, the second time,', { timeout: 600_000 }, async () => {
    for (const { name, why, shared } of failed.splice(0)) {
      const { reached, broken = [] } = await attackOnce(name, shared);
      assert.deepEqual({ reached, broken }, { reached: [], broken: [] }, `${name}; the first time: ${why}`);
    }
  });

describe('the system holds against', () => {
  describe('one after the other,', () => {
    for (const attack of sharing(undefined)) holdsAgainst(attack);
    holdsTheSecondTime();
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
    holdsTheSecondTime();
  });
});

it('an attack that nobody knows is refused by name', async () => {
  await assert.rejects(
    runAttacks({ names: ['no-such-attack'], stackName: 'none', isSmall: true }),
    /no such attack: no-such-attack/,
  );
});
