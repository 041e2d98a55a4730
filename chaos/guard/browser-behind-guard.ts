// A small web behind the guard, on loopback: a site that stands for the public one, a canary that nothing may reach, and
// a Chromium that knows no other way out.

import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Browser, chromium } from 'playwright-core';
import { guardArgs } from '../../apps/browser/src/chromium/flags.ts';
import { openGuard } from '../../apps/browser/src/guard/proxy.ts';
import type { Refusal } from '../../apps/browser/src/guard/refusals.ts';
import { makeCertificate } from '../../testkit/certificate.ts';
import { answers, changing, farLoopback, PUBLIC } from './spellings.ts';

export type Canary = { port: number; hits(): number; packets(): number; close(): Promise<void> };

/** Counts connections and packets, at all the addresses of this machine that the spellings lead to. */
export async function startCanary(): Promise<Canary> {
  let hits = 0;
  let packets = 0;
  const open = () =>
    createServer((_request, response) => void response.end('canary')).on('connection', () => {
      hits += 1;
    });
  const first = open();
  const port = await listen(first, '127.0.0.1');
  const others = ['::1', ...farLoopback].map((address) => ({ server: open(), address }));
  await Promise.all(others.map(({ server, address }) => listen(server, address, port)));
  const datagrams = createSocket('udp4').on('message', () => {
    packets += 1;
  });
  await new Promise<void>((resolve) => datagrams.bind(port, '127.0.0.1', resolve));
  return {
    port,
    hits: () => hits,
    packets: () => packets,
    async close() {
      await Promise.all([first, ...others.map(({ server }) => server)].map(stop));
      await new Promise<void>((resolve) => datagrams.close(resolve));
    },
  };
}

export type GuardedBrowser = Awaited<ReturnType<typeof openGuardedBrowser>>;

export async function openGuardedBrowser({ isGuarded = true, args = [] as string[] } = {}) {
  const canary = await startCanary();
  const certificate = await makeCertificate('*.test');
  const plain = createServer(answer);
  const secure = createSecureServer(certificate, answer);
  for (const server of [plain, secure]) server.on('upgrade', greet);
  const ports = [await listen(plain, '127.0.0.1'), await listen(secure, '127.0.0.1')] as const;
  const refused: Refusal[] = [];
  const asked = new Map<string, number>();
  const guard = await openGuard({
    allowLoopbackPorts: new Set(),
    onRefused: (refusal) => refused.push(refusal),
    // Every request asks again, so that there is an answer to change.
    limits: { rememberNamesMs: 0, tellRefusalsEveryMs: 50 },
    async resolve(name) {
      const given = answers[name] ?? changing[name] ?? [[PUBLIC]];
      const count = asked.get(name) ?? 0;
      asked.set(name, count + 1);
      return given[count % given.length] ?? [];
    },
    // The public site is on this machine. Whatever else gets here got past the guard: that is a hit, and goes no further.
    connect(addresses, port) {
      if (!addresses.every((address) => address === PUBLIC)) return connect(canary.port, '127.0.0.1');
      return connect(port === 443 ? ports[1] : ports[0], '127.0.0.1');
    },
  });
  const browser = await launch([
    ...args,
    `--ignore-certificate-errors-spki-list=${certificate.spki}`,
    // Without the guard, names of the table lead to this machine and nothing is asked of the world.
    ...(isGuarded ? guardArgs(guard.url) : ['--host-resolver-rules=MAP * 127.0.0.1']),
  ]);
  return {
    canary,
    guard,
    refused,
    browser,
    asked,
    plainPort: ports[0],
    async close() {
      await browser.close();
      await guard.close();
      await Promise.all([stop(plain), stop(secure), canary.close()]);
    },
  };
}

const launch = (args: string[]): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/lib/chromium/chromium-headless-shell', args });

const hints = '<link rel="dns-prefetch" href="//hint.test"><link rel="preconnect" href="//hint2.test">';
const worker = `self.onmessage = async ({ data, ports }) => {
  const done = await fetch(data, { mode: 'no-cors' }).then(() => 'fetched', () => 'failed');
  (ports[0] ?? self).postMessage(done);
};`;

/** Pages that lead elsewhere, and pages to lead from. */
const answer: RequestListener = (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
  const to = searchParams.get('to') ?? '';
  const hops = Number(searchParams.get('hops') ?? 0);
  if (pathname === '/redirect') {
    // Headers are bytes; an address of other letters is sent as browsers read it.
    const place = Buffer.from(to).toString('latin1');
    const again = `/redirect?hops=${hops - 1}&to=${encodeURIComponent(to)}`;
    return void response.writeHead(hops > 0 ? 307 : 302, { location: hops > 0 ? again : place }).end();
  }
  if (pathname === '/worker.js') return void response.setHeader('content-type', 'text/javascript').end(worker);
  const pages: Record<string, string> = {
    '/refresh': `<meta http-equiv="refresh" content="0;url=${to}">`,
    '/hints': hints,
  };
  const body = pages[pathname] ?? 'hello';
  response.setHeader('content-type', 'text/html').end(`<!doctype html><title>site</title><body>${body}`);
};

/** Enough of a WebSocket to open one and say one word. */
function greet(request: { headers: NodeJS.Dict<string | string[]> }, socket: Duplex): void {
  const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  socket
    .on('error', () => socket.destroy())
    .on('end', () => socket.destroy())
    .resume();
  socket.write(`${lines.join('\r\n')}\r\nSec-WebSocket-Accept: ${key.digest('base64')}\r\n\r\n`);
  socket.write(Buffer.from([0x81, 5, ...Buffer.from('hello')]));
}

function listen(server: Server, address: string, port = 0): Promise<number> {
  return new Promise((resolve, reject) =>
    // Listening on TCP, so the address is of this kind.
    server.once('error', reject).listen(port, address, () => resolve((server.address() as AddressInfo).port)),
  );
}

function stop(server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
