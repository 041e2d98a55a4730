// npm run bench -- slice|auth: ours beside the bare engine in one run. Prints one JSON line.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '40' },
    rounds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '1000' },
  },
});

// Loaded when asked for: an engine that one needs is not to weigh on the other.
const benches: Record<string, () => Promise<object>> = {
  slice: async () => (await import('./slice.ts')).measureSlice(Number(values.count)),
  auth: async () =>
    (await import('./auth.ts')).measureAuth({ rounds: Number(values.rounds), requests: Number(values.requests) }),
};
const name = positionals[0] ?? '';
const measure = benches[name];
if (!measure) {
  console.error('usage: npm run bench -- slice [--count n] | auth [--rounds n] [--requests n]');
  process.exit(2);
}
console.log(JSON.stringify({ bench: name, cores: cpus().length, ...(await measure()) }));
process.exit();
