// npm run dev [-- --port P]: everything on this machine out of this checkout, with a shop to visit. What is changed is started again,
// the console reloads by itself, and data is kept for the next time. Until Ctrl-C.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { demoExamples, startShop } from '@pilothouse/stack';
import { root } from '../testkit/stack/folders.ts';
import { createStack } from '../testkit/stack/stack.ts';
import { partsRunning } from './dev-parts.ts';
import { untilEnded } from './until-ended.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4000' },
    'console-port': { type: 'string', default: '5173' },
    'shop-port': { type: 'string', default: '4980' },
    name: { type: 'string', default: 'dev' },
    /** Removes the data in the end. */
    wipe: { type: 'boolean', default: false },
  },
});
/** An editor writes several files at once. */
const quietMs = 200;

const stack = createStack(values.name);
const url = `http://127.0.0.1:${values.port}`;
const consolePort = values['console-port'];
const vite = [join(root, 'node_modules/vite/bin/vite.js'), 'apps/console', '--port', consolePort, '--strictPort'];
const consoleServer = { stop: async () => {} };
const end = untilEnded(async () => {
  await consoleServer.stop();
  await stack.down({ wipe: values.wipe });
});

try {
  console.log('Starting PostgreSQL, NATS, server, agent, browser host, console and a shop …');
  const shop = await startShop({ port: Number(values['shop-port']) });
  const options = {
    ...{ port: Number(values.port), servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [shop.url] },
    settings: { server: { EXAMPLES: JSON.stringify(demoExamples(shop.url)) } },
  };
  await stack.up(options);
  startConsole();
  followChanges(async (changed) => {
    const parts = changed.map(partsRunning);
    if (parts.includes('all')) return stack.up(options);
    for (const part of new Set(parts.flat())) {
      console.log(`${part}: started again`);
      await stack.kill(part, 'SIGTERM');
      await stack.start(part);
    }
  });
  console.log(`
Open        http://127.0.0.1:${consolePort}/ (reloads; the built console is at ${url}/)
API         ${url}/docs
The shop    ${shop.url}/
Logs        ${join('.dev', values.name)}/*.log

Sources that change are started again. Authentication is disabled. Ctrl-C stops everything; the data stays for the next time.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await end(1);
}

function startConsole(): void {
  const child = spawn(process.execPath, vite, {
    cwd: root,
    env: { ...process.env, PILOTHOUSE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  consoleServer.stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
}

/** Calls it with what changed, one call at a time. A failure is said, and the next change tries again. */
function followChanges(apply: (paths: string[]) => Promise<void>): void {
  let changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let working = Promise.resolve();
  const flush = () => {
    const paths = [...changed];
    changed = new Set();
    working = working.then(() => apply(paths)).catch((error: unknown) => console.error(`dev: ${String(error)}`));
  };
  for (const folder of ['apps', 'packages'])
    watch(join(root, folder), { recursive: true }, (_, name) => {
      if (!name || name.includes('node_modules') || partsRunning(join(folder, name)).length === 0) return;
      changed.add(join(folder, name));
      clearTimeout(timer);
      timer = setTimeout(flush, quietMs);
    });
}
