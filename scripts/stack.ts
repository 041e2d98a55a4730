// npm run stack -- up|down|status|kill|start [part] [--name N] [--port P] [--servers n] [--agents n] [--browsers n] …
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../testkit/stack/folders.ts';
import { createStack } from '../testkit/stack/stack.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    name: { type: 'string', default: 'dev' },
    port: { type: 'string', default: '4000' },
    servers: { type: 'string', default: '1' },
    agents: { type: 'string', default: '1' },
    browsers: { type: 'string', default: '1' },
    'disable-auth': { type: 'boolean', default: false },
    signal: { type: 'string', default: 'SIGKILL' },
    wipe: { type: 'boolean', default: false },
  },
});
const [command, part = ''] = positionals;
const stack = createStack(values.name);

const commands: Record<string, () => Promise<void>> = {
  up: () =>
    stack.up({
      port: count('port', 65_000),
      servers: count('servers', 16),
      agents: count('agents', 16),
      browsers: count('browsers', 16),
      disableAuth: values['disable-auth'],
    }),
  down: () => stack.down({ wipe: values.wipe }),
  status: async () => {},
  // Any name of a signal; the system refuses what is none.
  kill: () => stack.kill(part, values.signal as NodeJS.Signals),
  start: () => stack.start(part),
};

const run = commands[command ?? ''];
if (!run)
  fail(`usage: npm run stack -- ${Object.keys(commands).join('|')} [part] [--name N] [--port P]
  [--servers n] [--agents n] [--browsers n] [--disable-auth] [--signal SIGKILL] [--wipe]`);
if (existsSync(join(root, '.env'))) process.loadEnvFile(join(root, '.env'));
await run().catch((error: Error) => fail(error.message));
console.log(JSON.stringify(stack.status()));

function count(option: 'port' | 'servers' | 'agents' | 'browsers', most: number): number {
  const number = Number(values[option]);
  if (!Number.isInteger(number) || number < 0 || number > most)
    fail(`--${option} must be a whole number up to ${most}`);
  return number;
}

function fail(message: string): never {
  console.error(`stack: ${message}`);
  process.exit(1);
}
