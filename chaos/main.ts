// npm run chaos -- <scenario>|all [--rounds n] [--sequences n] [--seed n|random] … [--small]: the full size of what the tests run in
// small. Prints one JSON line for each scenario.
import { createClient } from '@pilothouse/sdk';
import { hogNames } from '../apps/browser/testing/hogs.ts';
import { sendMalformed } from '../apps/server/testing/malformed.ts';
import { startOffice } from '../testkit/pages/office.ts';
import { figuresOf } from '../testkit/percentiles.ts';
import { runScripts } from '../testkit/scripts/run.ts';
import { startSites } from '../testkit/sites/sites.ts';
import { freePort } from '../testkit/stack/ports.ts';
import { withServices, withStack } from '../testkit/stack/with-services.ts';
import { runAttacks } from './attacks/run.ts';
import { attackAuth } from './auth/auth.full.ts';
import { attackBus } from './bus/attack.ts';
import { cancelAtRandom } from './cancel/cancel.ts';
import { troublePrograms } from './cdp/cdp.ts';
import { raceCommands } from './commands/commands.full.ts';
import { shootWhileShown } from './console/console.ts';
import { failOverByOptions } from './failover/scenario.ts';
import { fillUp } from './filling/filling.ts';
import { attackGuardByAllWays } from './guard/guard.ts';
import { cutCommands } from './host/cut.ts';
import { cutBus } from './host/cut-bus.ts';
import { freezeHost } from './host/freeze.ts';
import { feedHogApart } from './host/hogs.child.ts';
import type { HogResult } from './host/hogs.ts';
import { playHostile } from './host/hostile.ts';
import { hurtSessions } from './host/leaks.ts';
import { confuseInputs } from './input/input.ts';
import { typeStrings } from './input/typing.ts';
import { killMigrations, raceMigrations } from './migrate/migrate.ts';
import { troubleMinds } from './mind/mind.ts';
import { killNodesByOptions } from './nats-cluster/scenario.ts';
import { alsoAsked, asked, given, newSeed, privateName, values } from './options.ts';
import { type Outage, sufferOutages } from './outage/outage.ts';
import { outageParts } from './outage/parts.ts';
import { testLimits } from './policy/policy.ts';
import { hideSecrets } from './policy/secrets.ts';
import { restoreByOptions } from './restore/restore.ts';
import { restartInTurnByOptions } from './rolling/scenario.ts';
import { stealSecrets } from './secrets/secrets.ts';
import { followThroughRestarts } from './streams/restarts.ts';
import { revokeStreams } from './streams/revoked.ts';
import { dieBeforePublish } from './streams/unannounced.ts';
import { shootWhileDriven } from './takeover/kills.ts';
import { raceForWheels } from './takeover/races.ts';
import { failPower } from './tasks/power.ts';
import { shootAtTasks } from './tasks/run.ts';
import { wakeZombies } from './tasks/zombies.ts';
import { leaveUnread, openNoise } from './unread/unread.ts';
import { letManyWait } from './waiting/waiting.ts';

const scenarios: Record<string, () => Promise<{ isGood: boolean; figures: object }>> = {
  migrate: () =>
    withServices(privateName, async (services) => {
      await services.start('postgres');
      process.env.TEST_DATABASE_URL = services.adminDatabaseUrl();
      const { schemas, ...figures } = await raceMigrations({ rounds: Number(values.rounds), starters: 10 });
      const { kills, schema } = await killMigrations({ firstMs: 250, growMs: 10 });
      schemas.add(schema);
      const isGood = figures.failed === 0 && schemas.size === 1;
      return { isGood, figures: { ...figures, kills, schemas: schemas.size } };
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

  auth: () => attackAuth(privateName, { isSmall: values.small }),

  attacks: async () => {
    const reports = await runAttacks({ names: alsoAsked, stackName: privateName, isSmall: values.small });
    const reached = reports.flatMap(({ name, reached: what }) => what.map((one) => `${name}: ${one}`));
    const broken = reports.flatMap(({ name, broken: what = [] }) => what.map((one) => `${name}: ${one}`));
    return { isGood: reports.every(({ held }) => held), figures: { attacks: reports.length, reached, broken } };
  },

  bus: async () => {
    const { wrong, lost, ...figures } = await attackBus({ sessions: values.small ? 1 : 10 });
    const isGood = wrong.length === 0 && lost.length === 0 && figures.tried > 0 && figures.granted > 0;
    const met = { arrived_wrongly: wrong.length, first_wrong: wrong.slice(0, 5), lost };
    return { isGood, figures: { ...figures, ...met } };
  },
  unread: () =>
    withStack(privateName, async (stack) => {
      const noise = await openNoise(stack);
      try {
        const figures = await leaveUnread(noise, values.small ? 40 : 400);
        const isHeld = Math.max(figures.most_mb_of_a_kind, figures.grown_mb_after_all) <= 150;
        const isCut = figures.still_open === 0 && figures.slow_reader.is_served;
        return { isGood: isHeld && isCut && figures.p95_ratio <= 1.5, figures };
      } finally {
        noise.close();
      }
    }),

  commands: () => raceCommands(privateName, { isSmall: values.small }),

  cancel: () =>
    withStack(privateName, async (stack) => {
      const [port, office] = await Promise.all([freePort(), startOffice()]);
      await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [office.url] });
      const seed = newSeed();
      const baseUrl = `http://127.0.0.1:${port}`;
      const met = await cancelAtRandom({ baseUrl, office, cancels: Number(values.cancels), seed });
      await office.close();
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

  secrets: () =>
    withStack(privateName, async (stack) => {
      const size = { secrets: Number(values.secrets), honest: 2, tricks: values.trick, atOnce: 3 };
      const { results: _, ...figures } = await stealSecrets({ stack, seed: newSeed(), ...size });
      const isGood = figures.wrong.length + figures.undone.length === 0 && figures.secrets > 0;
      return { isGood, figures };
    }),

  cut: async () => {
    const seed = newSeed();
    const met = await cutCommands({ cuts: Number(values.cuts), seed });
    return { isGood: met.acknowledged_late === 0 && met.acts_after.length === 0, figures: { seed, ...met } };
  },

  'cut-bus': () =>
    withStack(privateName, async (stack) => {
      const seed = newSeed();
      const figures = await cutBus({ stack, cuts: Number(values.bus_cuts), seed });
      const { leaked, given_up_while_running, interrupted_by_short_cuts, chromium_left } = figures;
      const bad = leaked.length + given_up_while_running + interrupted_by_short_cuts + chromium_left;
      return { isGood: bad === 0, figures: { seed, ...figures } };
    }),

  freeze: async () => {
    const { gone_ms, ...figures } = await freezeHost(Number(values.rounds));
    const isGood = figures.accepted + figures.ended_early + figures.browsers_left === 0 && figures.late > 0;
    return { isGood, figures: { ...figures, gone_ms: figuresOf(gone_ms) } };
  },

  leaks: async () => {
    const figures = await hurtSessions(Number(values.rounds), newSeed());
    const { browsers_left, folders_left, processes_left, outlived_ms } = figures;
    const isGood = browsers_left === 0 && folders_left === 0 && processes_left === 0 && outlived_ms < 2000;
    return { isGood, figures };
  },

  input: async () => {
    const seed = newSeed();
    const { wrong, ...figures } = await confuseInputs({ sequences: Number(values.sequences ?? 2000), seed });
    return { isGood: wrong.length === 0, figures: { ...figures, wrong: wrong.length, first_wrong: wrong.slice(0, 3) } };
  },
  guard: () => attackGuardByAllWays({ isSmall: values.small }),
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
      const rounds = Number(given.rounds ?? (values.small ? values.rounds : 100));
      const figures = await wakeZombies({ stack, rounds, seed: newSeed() });
      return { isGood: figures.wrong.length === 0 && figures.rounds > 0, figures };
    }),

  filling: async () => {
    const quotas = { files: 8, pictures: 4, states: 6 };
    const secs = Number(values.secs?.[0] ?? (values.small ? 8 : 120));
    const figures = await fillUp(privateName, { secs, quietSecs: Math.min(30, secs), quotas });
    return { isGood: figures.is_within && figures.other_user_ms.p95_ratio <= 1.5, figures };
  },

  waiting: () =>
    withStack(privateName, async (stack) => {
      const size = { waiting: Number(values.tasks ?? 5000), starts: values.small ? 5 : 100 };
      const figures = await letManyWait(stack, size);
      const isSoon = figures.chat_to_begin_ms.ratio <= 1.3;
      return { isGood: isSoon && figures.agent_grown_mb <= 50 && figures.answered_and_done === 3, figures };
    }),

  power: () =>
    withStack(privateName, async (stack) => {
      const figures = await failPower({ stack, rounds: Number(values.rounds), seed: newSeed() });
      const bad = figures.lost.length + figures.lost_files.length + figures.unfinished.length;
      const isGood = bad === 0 && !figures.broken && figures.acknowledged > 0;
      return { isGood, figures };
    }),

  outage: () =>
    withStack(privateName, async (stack) => {
      const lengths = (values.secs ?? (values.small ? ['15'] : ['15', '60', '300'])).map(Number);
      const parts = outageParts.filter((part) => values.part?.includes(part) ?? true);
      // Short ones with open connections, as where a machine stands still; long ones as after a crash.
      const outages = lengths.flatMap((secs) =>
        parts.map((part): Outage => ({ part, secs, way: secs <= 15 ? 'frozen' : 'killed' })),
      );
      const [tasks, takeovers] = [Number(values.tasks ?? 20), Number(values.takeovers ?? 2)];
      const figures = await sufferOutages({ stack, tasks, takeovers, outages, forms: 4 * outages.length + 4 });
      return { isGood: figures.wrong.length === 0 && figures.success === tasks, figures };
    }),

  failover: failOverByOptions,
  'nats-cluster': killNodesByOptions,

  rolling: restartInTurnByOptions,

  restore: restoreByOptions,

  streams: () =>
    withStack(privateName, async (stack) => {
      const size = { tasks: Number(values.tasks ?? 100), restarts: Number(values.restarts) };
      const clients = Number(values.clients);
      const figures = await followThroughRestarts({ stack, seed: newSeed(), clients, ...size });
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

  console: () =>
    withStack(privateName, async (stack) => {
      const seed = newSeed();
      const count = Number(values.count ?? (values.small ? 1 : 10));
      const figures = await shootWhileShown({ stack, seed, count, parts: values.part });
      return { isGood: figures.wrong.length === 0, figures: { seed, ...figures } };
    }),

  cdp: troublePrograms,

  unannounced: () =>
    withServices(privateName, async (services) => {
      await services.start('postgres');
      process.env.TEST_DATABASE_URL = services.adminDatabaseUrl();
      const figures = await dieBeforePublish(values.small ? { events: 10, clients: 4 } : { events: 100, clients: 20 });
      return { isGood: figures.lost + figures.repeated === 0 && figures.slowest_ms < 2000, figures };
    }),

  revoked: () =>
    withServices(privateName, async (services) => {
      await services.start('postgres');
      process.env.TEST_DATABASE_URL = services.adminDatabaseUrl();
      const figures = await revokeStreams(values.small ? 20 : 200);
      return { isGood: figures.ended === figures.streams && figures.last_ms < 1000, figures };
    }),

  mind: () =>
    withStack(privateName, async (stack) => {
      // A small run has sizes of its own.
      const tasks = values.small || values.tasks === undefined ? undefined : Number(values.tasks);
      const seed = newSeed();
      const run = await troubleMinds({ stack, seed, isSmall: values.small, parts: values.part, tasks });
      return { isGood: run.isGood, figures: { seed, ...run.figures } };
    }),

  policy: async () => {
    const seed = newSeed();
    const size = { seed, isSmall: values.small, parts: values.part };
    const limits = await withStack(privateName, (stack) => testLimits({ stack, ...size }));
    if (values.part && !values.part.includes('secrets')) return limits;
    const secrets = await withStack(privateName, (stack) =>
      hideSecrets({ stack, seed, secrets: values.small ? 2 : 20 }),
    );
    return { isGood: limits.isGood && secrets.isGood, figures: { ...limits.figures, secrets: secrets.figures } };
  },

  mass: () => shootAt('double', { tasks: 5000, atOnce: 100 }),

  scripts: () =>
    withStack(privateName, async (stack) => {
      const [port, sites] = await Promise.all([freePort(), startSites()]);
      try {
        await stack.up({ port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [sites.url] });
        const installation = { client: createClient({ baseUrl: `http://127.0.0.1:${port}` }) };
        const figures = await runScripts({
          installation,
          sites,
          count: Number(values.count ?? (values.small ? 8 : 200)),
          atOnce: 8,
          seed: newSeed(),
        });
        return { isGood: figures.mismatches.length === 0, figures };
      } finally {
        await sites.close();
      }
    }),
};

/** Ends when `tasks` are done, or after `minutes`. */
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

const names = Object.keys(scenarios).filter((name) => asked === 'all' || asked === name);
if (names.length === 0) {
  console.error(`usage: npm run chaos -- ${Object.keys(scenarios).join('|')}|all [--option n] … [--small]`);
  process.exit(2);
}
for (const name of names) {
  const { isGood, figures } = (await scenarios[name]?.()) ?? { isGood: false, figures: {} };
  console.log(JSON.stringify({ scenario: name, good: isGood, ...figures }));
  if (!isGood) process.exitCode = 1;
}
