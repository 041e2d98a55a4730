// What is looked at from inside containers: who reaches whom, and how processes are held.
import assert from 'node:assert/strict';
import type { Installation } from './installation.ts';

/** Prints which of the given addresses take a connection. */
const connects = `const net = require('node:net');
const open = (to) => new Promise((resolve) => {
  const [host, port] = to.split('|');
  const socket = net.connect({ host, port: Number(port) });
  const end = (isOpen) => { socket.destroy(); resolve(isOpen); };
  socket.once('connect', () => end(true)).once('error', () => end(false));
  // Also where a name is looked up for longer: a neighbour's is known at once.
  setTimeout(end, 3000, false);
});
Promise.all(process.argv.slice(1).map(async (to) => [to, await open(to)])).then((found) => {
  process.stdout.write(JSON.stringify(found), () => process.exit());
});`;

const ports: Record<string, number[]> = {
  postgres: [5432],
  nats: [4222],
  server: [4000, 4001],
  agent: [4002],
  browser: [4003],
  proxy: [80, 443],
};
/** Everything else has to be closed: by the name of the service, and by each of its addresses. */
const allowed: Record<string, string[]> = {
  server: ['postgres 5432', 'nats 4222', 'proxy 80', 'proxy 443'],
  agent: ['postgres 5432', 'nats 4222', 'server 4000'],
  browser: ['nats 4222'],
};

export async function probeNetworks(installation: Installation): Promise<number> {
  const places = await Promise.all(
    Object.keys(ports).map(
      async (service) => [service, [service, ...(await installation.addressesOf(service))]] as const,
    ),
  );
  let tried = 0;
  for (const [from, reached] of Object.entries(allowed)) {
    const others = places.filter(([service]) => service !== from);
    const asked = others.flatMap(([service, hosts]) =>
      (ports[service] ?? []).flatMap((port) => hosts.map((host) => ({ service, port, to: `${host}|${port}` }))),
    );
    const answer = await installation.node(from, connects, ...asked.map(({ to }) => to));
    const open = new Map<string, boolean>(JSON.parse(answer));
    tried += asked.length;
    const found = asked.filter(({ to }) => open.get(to)).map(({ service, port }) => `${service} ${port}`);
    assert.deepEqual([...new Set(found)].toSorted(), reached.toSorted(), `what ${from} reaches`);
  }
  return tried;
}

/** Prints what the kernel says of each process in a container. */
const processes = `const fs = require('node:fs');
const found = fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).flatMap((pid) => {
  try {
    const status = fs.readFileSync('/proc/' + pid + '/status', 'utf8');
    const field = (name) => new RegExp('^' + name + ':\\\\s+(\\\\S+)', 'm').exec(status)?.[1];
    const line = fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').replaceAll('\\0', ' ');
    const names = ['Uid', 'Seccomp', 'Seccomp_filters', 'CapEff', 'CapBnd', 'NoNewPrivs'];
    return [{ line, ...Object.fromEntries(names.map((name) => [name, field(name)])) }];
  } catch { return []; }
});
console.log(JSON.stringify(found));`;

type Held = Record<'line' | 'Uid' | 'Seccomp' | 'Seccomp_filters' | 'CapEff' | 'CapBnd' | 'NoNewPrivs', string>;
const none = '0000000000000000';

const processesOf = async ({ node }: Installation, service: string): Promise<Held[]> =>
  JSON.parse(await node(service, processes));

/** Each process of Chromium has a filter of its own above the container's, a user of its session, and no right left. */
export async function checkChromium(installation: Installation): Promise<number> {
  const all = (await installation.nodeInEach('browser', processes)).map((found): Held[] => JSON.parse(found));
  const chromium = all.flat().filter(({ line }) => /^\/usr\/lib\/chromium\//.test(line));
  assert.ok(chromium.length >= 4, `only ${chromium.length} processes of Chromium`);
  for (const { line, ...held } of chromium) {
    const what = `${line.slice(0, 120)} ${JSON.stringify(held)}`;
    assert.equal(held.Seccomp, '2', what);
    assert.ok(Number(held.Seccomp_filters) >= 2, what);
    assert.equal(held.NoNewPrivs, '1', what);
    // In a namespace of their own some processes have rights that count only there.
    assert.ok(Number(held.Uid) >= 20_000, what);
  }
  const outermost = chromium.filter(({ line }) => !line.includes('--type='));
  for (const { CapEff, CapBnd } of outermost) assert.deepEqual([CapEff, CapBnd], [none, none]);
  return chromium.length;
}

/** Our own processes: not root and without rights, but the hosts, which have seven. */
export async function checkProcesses(installation: Installation): Promise<void> {
  for (const service of ['server', 'agent'])
    for (const held of await processesOf(installation, service)) {
      assert.equal(held.Uid, '10001', `${service}: ${held.line}`);
      assert.equal(held.CapBnd, none);
      assert.equal(held.NoNewPrivs, '1');
      assert.equal(held.Seccomp, '2');
    }
  const [host] = (await processesOf(installation, 'browser')).filter(({ line }) => line.includes('apps/browser/src'));
  assert.ok(host);
  // CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID, SETPCAP: bits 0, 1, 3, 5, 6, 7, 8.
  assert.equal(host.CapBnd, '00000000000001eb');
  assert.equal(host.NoNewPrivs, '1');
}
