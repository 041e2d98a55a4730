// npm run demo [-- --port P]: everything on this machine with a small shop to visit, until Ctrl-C. Nothing leaves it.
import { parseArgs } from 'node:util';
import { demoExamples, startShop } from '@pilothouse/stack';
import { createStack } from '../testkit/stack/stack.ts';
import { untilEnded } from './until-ended.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4000' },
    'shop-port': { type: 'string', default: '4980' },
    name: { type: 'string', default: 'demo' },
  },
});

const stack = createStack(values.name);
const end = untilEnded(() => stack.down({ wipe: true }));

try {
  console.log('Starting PostgreSQL, NATS, server, agent, browser host and a shop …');
  const shop = await startShop({ port: Number(values['shop-port']) });
  const size = { servers: 1, agents: 1, browsers: 1 };
  const settings = { server: { EXAMPLES: JSON.stringify(demoExamples(shop.url)) } };
  await stack.up({ port: Number(values.port), ...size, disableAuth: true, sites: [shop.url], settings });
  console.log(`
Open        http://127.0.0.1:${values.port}/
API         http://127.0.0.1:${values.port}/docs
The shop    ${shop.url}/

Choose one of the tasks on the page, or paste this script into it, and press Run:

  open ${shop.url}/
  type "lantern" into "Search"
  click "Find"
  click "Add Brass lantern to basket"

Authentication is disabled and only this machine can connect. Ctrl-C stops everything and removes its data.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await end(1);
}
