// npm run bench -- slice [--count n]: ours beside the bare engine in one run. Prints one JSON line.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { openHouse } from '../e2e/house.ts';
import { ratio } from './figures.ts';
import { measureFrames } from './frames.ts';
import { measureStart } from './start.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '40' } },
});
if (positionals[0] !== 'slice') {
  console.error('usage: npm run bench -- slice [--count n]');
  process.exit(2);
}
const count = Number(values.count);
const house = await openHouse('bench');
try {
  process.env.TEST_DATABASE_URL = house.stack.services.databaseUrl();
  const start = await measureStart(house, count);
  const frames = await measureFrames(house, count);
  console.log(
    JSON.stringify({
      bench: 'slice',
      cores: cpus().length,
      chat_to_first_step_ms: { ...start, ratio: ratio(start.ours, start.bare) },
      change_to_frame_ms: { ...frames, ratio: ratio(frames.ours, frames.bare) },
    }),
  );
} finally {
  await house.close();
}
process.exit();
