// npm run bench -- <name>|all [options] [--small]: ours beside the bare engine, or few rows beside many, in one run. Prints
// one JSON line for each bench, with `good` and the aims that it missed where it states any; then it exits with 1.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { judge } from './aims.ts';
import { type BenchName, benches, benchNames, type FiguresOf, type Sizes } from './benches.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '1000' },
    sessions: { type: 'string', default: '8' },
    every: { type: 'string', default: '5' },
    secs: { type: 'string', default: '300' },
    minutes: { type: 'string', default: '5' },
    tasks: { type: 'string', default: '1000000' },
    streams: { type: 'string', default: '100' },
    clients: { type: 'string', default: '100' },
    viewers: { type: 'string', default: '10' },
    stored: { type: 'string', default: '100000' },
    history: { type: 'string', default: '300000' },
    live: { type: 'string', default: '1000' },
    agents: { type: 'string', default: '4' },
    events: { type: 'string', default: '10000000' },
    pictures: { type: 'string', default: '1000000' },
    presses: { type: 'string', default: '100' },
    steps: { type: 'string', default: '1000' },
    small: { type: 'boolean', default: false },
  },
});
const { small, ...given } = values;
const numbers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]));
const sizes = { ...numbers, sessionsInTurn: given.sessions.split(',').map(Number) } as Sizes;

const asked = positionals[0] ?? '';
const names = asked === 'all' ? benchNames : benchNames.filter((name) => name === asked);
if (names.length === 0) {
  console.error(`usage: npm run bench -- ${benchNames.join('|')}|all [--option n] … [--small]`);
  process.exit(2);
}
async function run<N extends BenchName>(name: N): Promise<void> {
  const { full, small: measureSmall } = benches[name];
  // Both measure the same, in another size.
  const figures = (await (small ? measureSmall() : full(sizes))) as FiguresOf<N>;
  const judged = small ? undefined : judge(name, figures);
  console.log(JSON.stringify({ bench: name, ...judged, cores: cpus().length, ...figures }));
  if (judged?.good === false) process.exitCode = 1;
}
for (const name of names) await run(name);
process.exit();
