// What a newcomer does: starts the demo by the given command, runs a task and watches it, presses Ctrl-C. Runs beside the
// installed packages, as an ordinary user. Prints one line of JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient, runTask } from '@pilothouse/sdk';

const [command = '', ...args] = process.argv.slice(2);
const begun = performance.now();
const sinceBegun = () => Math.round(performance.now() - begun);

// A group of its own, as a shell gives each command: Ctrl-C goes to all of the group.
const demo = spawn(command, [...args, '--no-open', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
});
const ended = once(demo, 'exit');
const [line] = await Promise.race([
  once(createInterface(demo.stdout), 'line', { signal: AbortSignal.timeout(150_000) }),
  ended.then(([code]) => {
    throw new Error(`the demo ended with ${code}`);
  }),
]);
const { url, shop_url: shop } = JSON.parse(line);
const addressMs = sinceBegun();
const services = runningServices();

const client = createClient({ baseUrl: url });
const run = await runTask(client, {
  prompt: `open ${shop}/\ntype "lantern" into "Search"\nclick "Find"\nextract text css "h2" as found`,
});
let frames = 0;
const watching = new AbortController();
const watched = (async () => {
  for await (const event of client.followSession({ id: run.sessionId }, { signal: watching.signal }))
    if (event.type === 'frame') frames += 1;
})().catch(() => {});
const { status, result } = await run.finished();
const doneMs = sinceBegun();
const console_ = await (await fetch(`${url}/`)).text();
watching.abort();
await watched;

if (demo.pid === undefined) throw new Error('the demo has no process');
process.kill(-demo.pid, 'SIGINT');
const stopping = performance.now();
const [code, signal] = await ended;
const isClosed = async (address: string) =>
  fetch(address).then(
    () => false,
    () => true,
  );
console.log(
  JSON.stringify({
    status,
    data: result?.data,
    frames,
    hasConsole: console_.includes('<div id="root">'),
    addressMs,
    doneMs,
    stopMs: Math.round(performance.now() - stopping),
    code,
    signal,
    services,
    closed: [await isClosed(url), await isClosed(shop)],
  }),
);

/** The files that run as PostgreSQL and NATS of this demo, whatever they are named in the list of processes. */
function runningServices(): Record<string, string> {
  const found = globSync('/proc/[0-9]*').flatMap((folder) => {
    try {
      const words = readFileSync(`${folder}/cmdline`, 'utf8');
      // Another demo on this machine has its data elsewhere.
      return words.includes(dirname(process.cwd())) ? [readlinkSync(`${folder}/exe`)] : [];
    } catch {
      return []; // It has ended, or is another user's.
    }
  });
  const named = found.map((file): [string, string] => [basename(file), file]);
  return Object.fromEntries(named.filter(([name]) => ['postgres', 'nats-server'].includes(name)));
}
