// The options of `npm run chaos`, with the sizes of a full and of a small run.
import { parseArgs } from 'node:util';
import { seedFrom } from '../testkit/seed.ts';

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    requests: { type: 'string' },
    strings: { type: 'string' },
    hog: { type: 'string', multiple: true },
    cuts: { type: 'string' },
    bus_cuts: { type: 'string' },
    count: { type: 'string' },
    cancels: { type: 'string' },
    seed: { type: 'string' },
    sequences: { type: 'string' },
    tasks: { type: 'string' },
    clients: { type: 'string' },
    restarts: { type: 'string' },
    minutes: { type: 'string' },
    races: { type: 'string' },
    secrets: { type: 'string' },
    trick: { type: 'string', multiple: true },
    /** Of the filling, or of the outages one after the other. */
    secs: { type: 'string', multiple: true },
    part: { type: 'string', multiple: true },
    proxy: { type: 'string', multiple: true },
    takeovers: { type: 'string' },
    crashes: { type: 'string' },
    /** Of those that are taken over from. */
    program: { type: 'string', multiple: true },
    kills: { type: 'string' },
    small: { type: 'boolean', default: false },
  },
});

export { given };

/** What a run has where no option says otherwise. Where neither names a size, the scenario does. */
const full = {
  rounds: '20',
  requests: '5000',
  strings: '1000',
  cuts: '200',
  bus_cuts: '100',
  cancels: '100',
  clients: '2000',
  restarts: '10',
  secrets: '10',
};
const small = {
  rounds: '1',
  requests: '200',
  strings: '40',
  cuts: '10',
  bus_cuts: '3',
  cancels: '5',
  sequences: '20',
  tasks: '20',
  clients: '40',
  restarts: '1',
  races: '8',
  secrets: '1',
};
export const values = { ...(given.small ? { ...full, ...small } : full), ...given };
export const privateName = `chaos-${process.pid}`;

export function newSeed(): number {
  const seed = seedFrom(values.seed);
  // Said at once, so that it is known also of a run that does not end.
  console.error(`chaos: seed ${seed}`);
  return seed;
}

/** The scenario, and what of it is asked for. */
export const [asked = '', ...alsoAsked] = positionals;
