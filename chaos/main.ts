// npm run chaos -- <scenario> [--rounds n] [--requests n]: the full size of what the tests run in small. Prints one JSON
// line.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { sendMalformed } from '../apps/server/testing/malformed.ts';
import { freePort } from '../scripts/dev/ports.ts';
import { withServices, withStack } from '../scripts/dev/with-services.ts';
import { attackAuth } from './auth.full.ts';
import { raceMigrations } from './migrate.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '20' }, requests: { type: 'string', default: '5000' } },
});
const privateName = `chaos-${process.pid}`;

const scenarios: Record<string, () => Promise<{ isGood: boolean; figures: object }>> = {
  migrate: () =>
    withServices(privateName, async (services) => {
      await services.start('postgres');
      process.env.TEST_DATABASE_URL = services.databaseUrl();
      const { schemas, ...figures } = await raceMigrations({ rounds: Number(values.rounds), starters: 10 });
      return { isGood: figures.failed === 0 && schemas.size === 1, figures: { ...figures, schemas: schemas.size } };
    }),

  malformed: () =>
    withStack(privateName, async (stack) => {
      const port = await freePort();
      // Some of it is whole enough to become tasks; nobody is there to run them.
      await stack.up({ port, servers: 1, agents: 0, browsers: 0, disableAuth: true });
      const seed = randomInt(2 ** 31);
      // Said at once, so that it is known also of a run that does not end.
      console.error(`chaos: seed ${seed}`);
      const requests = Number(values.requests);
      const { unanswered, ...met } = await sendMalformed(port, { count: requests, seed });
      return { isGood: unanswered.length === 0, figures: { seed, requests, unanswered, ...met } };
    }),

  auth: () => attackAuth(privateName),
};

const [name = ''] = positionals;
const run = scenarios[name];
if (!run) {
  console.error(`usage: npm run chaos -- ${Object.keys(scenarios).join('|')} [--rounds n] [--requests n]`);
  process.exit(2);
}
const { isGood, figures } = await run();
console.log(JSON.stringify({ scenario: name, good: isGood, ...figures }));
process.exitCode = isGood ? 0 : 1;
