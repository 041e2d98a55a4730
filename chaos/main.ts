// npm run chaos -- <scenario> [--rounds n] [--sequences n] [--seed n] …: the full size of what the tests run in small. Prints one JSON
// line.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createClient } from '@pilothouse/sdk';
import { hogNames } from '../apps/browser/testing/hogs.ts';
import { sendMalformed } from '../apps/server/testing/malformed.ts';
import { figuresOf } from '../bench/figures.ts';
import { runScripts } from '../e2e/scripts/run.ts';
import { startDesk } from '../e2e/site/desk.ts';
import { startSites } from '../e2e/sites/sites.ts';
import { freePort } from '../scripts/dev/ports.ts';
import { withServices, withStack } from '../scripts/dev/with-services.ts';
import { attackAuth } from './auth.full.ts';
import { cancelAtRandom } from './cancel.ts';
import { raceCommands } from './commands.full.ts';
import { cutCommands } from './cut.ts';
import { freezeHost } from './freeze.ts';
import { attackGuardInFull } from './guard.ts';
import { feedHogApart } from './hogs.apart.ts';
import type { HogResult } from './hogs.ts';
import { playHostile } from './hostile.ts';
import { confuseInputs } from './input.ts';
import { hurtSessions } from './leaks.ts';
import { raceMigrations } from './migrate.ts';
import { followThroughRestarts } from './streams/restarts.ts';
import { revokeStreams } from './streams/revoked.ts';
import { dieBeforePublish } from './streams/unannounced.ts';
import { failPower } from './tasks/power.ts';
import { shootAtTasks } from './tasks/run.ts';
import { wakeZombies } from './tasks/zombies.ts';
import { typeStrings } from './typing.ts';
import { shootWhileDriven } from './wheel/kills.ts';
import { raceForWheels } from './wheel/races.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '5000' },
    strings: { type: 'string', default: '1000' },
    hog: { type: 'string', multiple: true },
    cuts: { type: 'string', default: '200' },
    count: { type: 'string', default: '200' },
    cancels: { type: 'string', default: '100' },
    seed: { type: 'string' },
    sequences: { type: 'string' },
    tasks: { type: 'string' },
    clients: { type: 'string', default: '2000' },
    restarts: { type: 'string', default: '10' },
    minutes: { type: 'string' },
    races: { type: 'string' },
  },
});
const privateName = `chaos-${process.pid}`;

function newSeed(): number {
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  // Said at once, so that it is known also of a run that does not end.
  console.error(`chaos: seed ${seed}`);
  return seed;
}

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
      const seed = newSeed();
      const requests = Number(values.requests);
      const { unanswered, ...met } = await sendMalformed(port, { count: requests, seed });
      return { isGood: unanswered.length === 0, figures: { seed, requests, unanswered, ...met } };
    }),

  auth: () => attackAuth(privateName),

  commands: () => raceCommands(privateName),

  cancel: () =>
    withStack(privateName, async (stack) => {
      const [port, desk] = await Promise.all([freePort(), startDesk()]);
      await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [desk.url] });
      const seed = newSeed();
      const baseUrl = `http://127.0.0.1:${port}`;
      const met = await cancelAtRandom({ baseUrl, desk, cancels: Number(values.cancels), seed });
      await desk.close();
      const isGood = met.answered_late + met.acts_after.length + met.next_failed.length === 0;
      return { isGood, figures: { seed, ...met } };
    }),

  hostile: async () => {
    const seed = newSeed();
    const { late, ...met } = await playHostile({ sequences: Number(values.sequences ?? 500), atOnce: 4, seed });
    const isGood = late.length === 0 && met.browsers_left === 0 && met.folders_left === 0;
    return { isGood, figures: { seed, late, ...met } };
  },

  typing: async () => {
    const seed = newSeed();
    const met = await typeStrings({ strings: Number(values.strings), seed });
    return { isGood: met.equal === met.strings, figures: { seed, ...met } };
  },

  cut: async () => {
    const seed = newSeed();
    const met = await cutCommands({ cuts: Number(values.cuts), seed });
    return { isGood: met.acknowledged_late === 0 && met.acts_after.length === 0, figures: { seed, ...met } };
  },

  freeze: async () => {
    const { gone_ms, ...figures } = await freezeHost(Number(values.rounds));
    const isGood = figures.accepted === 0 && figures.browsers_left === 0 && figures.late > 0;
    return { isGood, figures: { ...figures, gone_ms: figuresOf(gone_ms) } };
  },

  leaks: async () => {
    const figures = await hurtSessions(Number(values.rounds));
    const { browsers_left, folders_left, processes_left, outlived_ms } = figures;
    const isGood = browsers_left === 0 && folders_left === 0 && processes_left === 0 && outlived_ms < 2000;
    return { isGood, figures };
  },

  input: async () => {
    const seed = randomInt(2 ** 31);
    console.error(`chaos: seed ${seed}`);
    const { wrong, ...figures } = await confuseInputs({ sequences: Number(values.sequences ?? 2000), seed });
    return { isGood: wrong.length === 0, figures: { ...figures, wrong: wrong.length, first_wrong: wrong.slice(0, 3) } };
  },
  guard: attackGuardInFull,
  hogs: async () => {
    const results: HogResult[] = [];
    for (const hog of hogNames.filter((one) => values.hog?.includes(one) ?? true)) {
      results.push(await feedHogApart(hog, { rounds: Number(values.rounds), quietMs: 4000, boundMs: 60_000 }));
      console.error(JSON.stringify(results.at(-1)));
    }
    const isGood = results.every((one) => {
      const isEnded = one.ended_after_ms.length === one.rounds && one.failed.length === 0 && one.left === 0;
      return isEnded && one.slower <= 2;
    });
    return { isGood, figures: { results } };
  },

  tasks: () => shootAt('chromium', { tasks: 300, atOnce: 8 }),
  zombies: () =>
    withStack(privateName, async (stack) => {
      const figures = await wakeZombies({ stack, rounds: Number(values.rounds), seed: newSeed() });
      return { isGood: figures.wrong.length === 0 && figures.rounds > 0, figures };
    }),

  power: () =>
    withStack(privateName, async (stack) => {
      const figures = await failPower({ stack, rounds: Number(values.rounds), seed: newSeed() });
      const isGood = figures.lost.length + figures.unfinished.length === 0 && figures.acknowledged > 0;
      return { isGood, figures };
    }),

  streams: () =>
    withStack(privateName, async (stack) => {
      const size = {
        clients: Number(values.clients),
        tasks: Number(values.tasks ?? 100),
        restarts: Number(values.restarts),
      };
      const figures = await followThroughRestarts({ stack, seed: newSeed(), ...size });
      return { isGood: figures.wrong.length === 0 && figures.events_delivered > 0, figures };
    }),

  wheel: () => raceFor('chromium', { races: 100, atOnce: 4 }),
  wheels: () => raceFor('double', { races: 900, atOnce: 10 }),

  'wheel-kills': () =>
    withStack(privateName, async (stack) => {
      const seed = newSeed();
      const figures = await shootWhileDriven({ stack, seed, rounds: Number(values.rounds) });
      return { isGood: figures.wrong.length === 0, figures: { seed, ...figures } };
    }),

  unannounced: () =>
    withServices(privateName, async (services) => {
      await services.start('postgres');
      process.env.TEST_DATABASE_URL = services.databaseUrl();
      const figures = await dieBeforePublish({ events: 100, clients: 20 });
      return { isGood: figures.lost + figures.repeated === 0 && figures.slowest_ms < 2000, figures };
    }),

  revoked: () =>
    withServices(privateName, async (services) => {
      await services.start('postgres');
      process.env.TEST_DATABASE_URL = services.databaseUrl();
      const figures = await revokeStreams(200);
      return { isGood: figures.ended === figures.streams && figures.last_ms < 1000, figures };
    }),

  mass: () => shootAt('double', { tasks: 5000, atOnce: 100 }),

  scripts: () =>
    withStack(privateName, async (stack) => {
      const [port, sites] = await Promise.all([freePort(), startSites()]);
      try {
        await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [sites.url] });
        const house = { client: createClient({ baseUrl: `http://127.0.0.1:${port}` }) };
        const figures = await runScripts({ house, sites, count: Number(values.count), atOnce: 8, seed: newSeed() });
        return { isGood: figures.mismatches.length === 0, figures };
      } finally {
        await sites.close();
      }
    }),
};

/** Until so many are done, or so many minutes are over. */
const shootAt = (hands: 'chromium' | 'double', { tasks, atOnce }: { tasks: number; atOnce: number }) =>
  withStack(privateName, async (stack) => {
    const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
    const size = { tasks: Number(values.tasks ?? tasks), minutes, atOnce };
    const figures = await shootAtTasks({ stack, seed: newSeed(), hands, ...size });
    return { isGood: figures.wrong.length === 0 && figures.tasks > 0, figures };
  });

const raceFor = (hands: 'chromium' | 'double', { races, atOnce }: { races: number; atOnce: number }) =>
  withStack(privateName, async (stack) => {
    const size = { races: Number(values.races ?? races), atOnce };
    const figures = await raceForWheels({ stack, seed: newSeed(), hands, ...size });
    return { isGood: figures.wrong.length === 0 && figures.won > 0, figures };
  });

const [name = ''] = positionals;
const run = scenarios[name];
if (!run) {
  console.error(`usage: npm run chaos -- ${Object.keys(scenarios).join('|')} [--option n] …`);
  process.exit(2);
}
const { isGood, figures } = await run();
console.log(JSON.stringify({ scenario: name, good: isGood, ...figures }));
process.exitCode = isGood ? 0 : 1;
