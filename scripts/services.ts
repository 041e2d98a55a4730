// npm run services -- up|down|status|kill|start [postgres|nats] [--name N] [--wipe]
import { parseArgs } from 'node:util';
import { createServices, type ServiceName, serviceNames } from '../testkit/stack/services.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { name: { type: 'string', default: 'dev' }, wipe: { type: 'boolean', default: false } },
});
const [command, which] = positionals;
const services = createServices(values.name);

const oneService = (): ServiceName => {
  const found = serviceNames.find((name) => name === which);
  if (!found) throw new Error(`name a service: ${serviceNames.join(' or ')}`);
  return found;
};

const commands: Record<string, () => Promise<void>> = {
  up: () => services.up(),
  down: () => services.down({ wipe: values.wipe }),
  status: async () => {},
  kill: () => services.kill(oneService()),
  start: () => services.start(oneService()),
};

const run = commands[command ?? ''];
if (!run) {
  console.error(`usage: npm run services -- ${Object.keys(commands).join('|')} [postgres|nats] [--name N] [--wipe]`);
  process.exit(2);
}
await run();
console.log(JSON.stringify({ name: values.name, ...services.status() }));
