// npm run chaos -- <scenario> [--rounds n]: the full size of what the tests run in small. Prints one JSON line.
import { parseArgs } from 'node:util';
import { createServices } from '../scripts/dev/services.ts';
import { raceMigrations } from './migrate.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '20' } },
});

const scenarios: Record<string, () => Promise<{ isGood: boolean; figures: object }>> = {
  async migrate() {
    const services = createServices(`chaos-${process.pid}`);
    try {
      await services.start('postgres');
      process.env.TEST_DATABASE_URL = services.databaseUrl();
      const { schemas, ...figures } = await raceMigrations({ rounds: Number(values.rounds), starters: 10 });
      return { isGood: figures.failed === 0 && schemas.size === 1, figures: { ...figures, schemas: schemas.size } };
    } finally {
      await services.down({ wipe: true });
    }
  },
};

const [name = ''] = positionals;
const run = scenarios[name];
if (!run) {
  console.error(`usage: npm run chaos -- ${Object.keys(scenarios).join('|')} [--rounds n]`);
  process.exit(2);
}
const { isGood, figures } = await run();
console.log(JSON.stringify({ scenario: name, good: isGood, ...figures }));
process.exitCode = isGood ? 0 : 1;
