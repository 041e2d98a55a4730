// npm run bench -- <name> [options]: ours beside the bare engine, or few rows beside many, in one run. Prints one JSON line.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '8' },
    secs: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '5' },
    tasks: { type: 'string', default: '1000000' },
    streams: { type: 'string', default: '100' },
    clients: { type: 'string', default: '100' },
    viewers: { type: 'string', default: '10' },
    stored: { type: 'string', default: '100000' },
  },
});

// Loaded when asked for: an engine that one needs is not to weigh on the other.
const benches: Record<string, () => Promise<object>> = {
  slice: async () => (await import('./slice.ts')).measureSlice(Number(values.count)),
  actions: async () => (await import('./actions.ts')).measureActions(Number(values.rounds)),
  open: async () => (await import('./open.ts')).measureOpen(Number(values.count)),
  density: async () =>
    (await import('./density.ts')).measureDensity({ sessions: Number(values.sessions), secs: Number(values.secs) }),
  auth: async () =>
    (await import('./auth.ts')).measureAuth({ rounds: Number(values.rounds), requests: Number(values.requests) }),
  live: async () => (await import('./live.ts')).measureLive(Number(values.count)),
  wheel: async () => (await import('./wheel.ts')).measureWheel(Number(values.count)),
  watched: async () =>
    (await import('./watched.ts')).measureWatched({
      sessions: Number(values.sessions),
      minutes: Number(values.minutes),
    }),
  animated: async () => (await import('./animated.ts')).measureAnimated(Number(values.minutes)),
  recovery: async () => (await import('./recovery.ts')).measureRecovery(Number(values.rounds)),
  guard: async () => (await import('./guard.ts')).measureGuard(Number(values.count)),
  fanout: async () =>
    (await import('./streams/fanout.ts')).measureFanout({
      streams: Number(values.streams),
      clientsEach: Number(values.clients),
      rounds: Number(values.rounds),
    }),
  viewers: async () =>
    (await import('./streams/viewers.ts')).measureViewers({
      viewers: Number(values.clients),
      rounds: Number(values.rounds),
    }),
  join: async () => (await import('./streams/join.ts')).measureJoin(Number(values.count)),
  crowd: async () =>
    (await import('./streams/crowd.ts')).measureCrowd({
      viewers: Number(values.viewers),
      rounds: Number(values.rounds),
    }),
  reading: async () =>
    (await import('./reading.ts')).measureReadingAlone({
      tasks: { few: 1000, many: Number(values.tasks) },
      sessions: { few: 100, many: Number(values.stored) },
      requests: Number(values.requests),
    }),
};
const name = positionals[0] ?? '';
const measure = benches[name];
if (!measure) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [--option n] …`);
  process.exit(2);
}
console.log(JSON.stringify({ bench: name, cores: cpus().length, ...(await measure()) }));
process.exit();
