// Backed up while a task works, destroyed and restored, again and again, each time at another moment; e2e/backup.test.ts is one round.

import { destroyAndRestore, type RestoreFigures } from '../../testkit/backup/restored.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import { withTwoStacks } from '../../testkit/stack/with-services.ts';
import { given, newSeed, privateName, values } from '../options.ts';

export async function restoreByOptions() {
  // Other scenarios have more rounds in a full run.
  const rounds = Number(given.rounds ?? (values.small ? 1 : 5));
  const seed = newSeed();
  const all: RestoreFigures[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const names: [string, string] = [`${privateName}-backup`, `${privateName}-restore`];
    all.push(await withTwoStacks(names, (stacks) => destroyAndRestore({ stacks, seed: seed + round })));
    console.error(`chaos: round ${round + 1} of ${rounds}:`, JSON.stringify(all.at(-1)));
  }
  const wrong = all.flatMap((one, round) => one.wrong.map((what) => `round ${round + 1}: ${what}`));
  const figures = {
    ...{ seed, rounds, wrong },
    tables: all.at(-1)?.tables,
    at_step: all.map((one) => one.at_step),
    backup_ms: figuresOf(all.map((one) => one.backup_ms)),
    restore_ms: figuresOf(all.map((one) => one.restore_ms)),
    went_on_ms: figuresOf(all.map((one) => one.went_on_ms)),
  };
  return { isGood: wrong.length === 0 && rounds > 0, figures };
}
