import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '../../../../testkit/until.ts';
import { connectTo } from './dial.ts';
import { type GuardOptions, openGuard } from './proxy.ts';
import type { Refusal } from './refusals.ts';

const PUBLIC = '93.184.216.34';

/** A site on loopback that stands for the one at a public address, so that nothing leaves the machine. */
async function startSite() {
  let connections = 0;
  const seen: { method: string; url: string; headers: IncomingHttpHeaders; raw: string[]; body: string }[] = [];
  const server = createServer((asked, response) => {
    let body = '';
    asked.on('data', (chunk) => {
      body += chunk;
    });
    asked.on('end', () => {
      const { method = '', url = '', headers, rawHeaders: raw } = asked;
      seen.push({ method, url, headers, raw, body });
      if (url === '/cut') {
        response.writeHead(200, { 'content-length': 100 }).write('half');
        return void setTimeout(() => asked.socket.destroy(), 20);
      }
      if (url === '/silent') return;
      response.writeHead(201, { 'x-mine': 'yes', 'set-cookie': ['a=1', 'b=2'], connection: 'x-hop', 'x-hop': '1' });
      response.end(`hello ${url}`);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listen(server);
  return { port, seen, server, connections: () => connections, close: () => stop(server) };
}

function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  return new Promise((resolve) =>
    // Listening on TCP, so the address is of this kind.
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  );
}

function stop(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function openForTest(options: Partial<GuardOptions> = {}) {
  const site = await startSite();
  const refused: Refusal[] = [];
  const dialed: (readonly string[])[] = [];
  const guard = await openGuard({
    allowLoopbackPorts: new Set(),
    onRefused: (refusal) => refused.push(refusal),
    resolve: async () => [PUBLIC],
    ...options,
    connect: (addresses, port) => {
      dialed.push(addresses);
      // All is public, or the guard has failed, and then it shall be seen.
      return addresses.every((address) => address === PUBLIC)
        ? connect(site.port, '127.0.0.1')
        : connectTo(addresses, port);
    },
  });
  const close = async () => {
    await guard.close();
    await site.close();
  };
  return { guard, site, refused, dialed, [Symbol.asyncDispose]: close };
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string };

function get(guardUrl: string, path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const { port } = new URL(guardUrl);
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
      answer.on('error', reject);
    });
    asking.on('error', reject).end(body);
  });
}

function tunnel(guardUrl: string, to: string): Promise<{ status: number; socket: Socket }> {
  const { port } = new URL(guardUrl);
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, method: 'CONNECT', path: to });
    // Node gives the socket as the stream it is made for.
    asking.on('connect', (answer, stream, head) => {
      // Node gives the socket as the stream it is made for.
      const socket = stream as Socket;
      if (head.length > 0) socket.unshift(head);
      resolve({ status: answer.statusCode ?? 0, socket });
    });
    asking.on('error', reject).end();
  });
}

describe('the guard', () => {
  it('hands on a request as it came, without what concerned only the way to it', async () => {
    await using place = await openForTest();
    const answer = await get(place.guard.url, 'http://Site.test/a%20b?c=%C3%A9&d', {
      method: 'POST',
      body: 'x=1',
      headers: {
        host: 'elsewhere.test',
        'proxy-connection': 'keep-alive',
        'proxy-authorization': 'Basic eA==',
        te: 'trailers',
        connection: 'keep-alive, X-Only-Here',
        'x-only-here': '1',
        'x-mine': 'yes',
      },
    });
    assert.deepEqual([answer.status, answer.text], [201, 'hello /a%20b?c=%C3%A9&d']);
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2']);
    assert.equal(answer.headers['x-mine'], 'yes');
    assert.equal(answer.headers['x-hop'], undefined);
    const [seen] = place.site.seen;
    assert.ok(seen);
    assert.deepEqual([seen.method, seen.body, seen.headers.host], ['POST', 'x=1', 'site.test']);
    const names = seen.raw.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
    assert.deepEqual(names.toSorted(), ['connection', 'content-length', 'host', 'x-mine']);
    assert.equal(seen.headers.connection, 'keep-alive');
  });

  it('keeps the body of a request apart from the request after it', async () => {
    await using place = await openForTest();
    const body = 'GET http://site.test/smuggled HTTP/1.1\r\nHost: site.test\r\n\r\n';
    const headers = { 'transfer-encoding': 'chunked' };
    await get(place.guard.url, 'http://site.test/1', { method: 'GET', headers, body });
    await get(place.guard.url, 'http://site.test/2');
    assert.deepEqual(
      place.site.seen.map((seen) => [seen.url, seen.body]),
      [
        ['/1', body],
        ['/2', ''],
      ],
    );
  });

  it('keeps a connection for the next request to the same site', async () => {
    await using place = await openForTest();
    for (let i = 0; i < 5; i++) await get(place.guard.url, `http://site.test/${i}`);
    assert.equal(place.site.connections(), 1);
    await get(place.guard.url, 'http://other.test/');
    assert.equal(place.site.connections(), 2);
  });

  it('asks again when the site closed the kept connection', async () => {
    await using place = await openForTest();
    await get(place.guard.url, 'http://site.test/1');
    place.site.server.closeIdleConnections();
    assert.equal((await get(place.guard.url, 'http://site.test/2')).status, 201);
  });

  it('asks once for what may be done only once, also when the site closes the kept connection on it', async () => {
    const asked: string[] = [];
    // Answers the first request of a connection, and hangs up on the second after it has read it.
    const site = createTcpServer((socket) => {
      let count = 0;
      socket
        .on('error', () => undefined)
        .on('data', (data) => {
          asked.push(data.toString('latin1').split(' ', 1)[0] ?? '');
          count += 1;
          if (count === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n');
          else socket.destroy();
        });
    });
    const open = new Set<Socket>();
    site.on('connection', (socket) => open.add(socket));
    await using _ = {
      async [Symbol.asyncDispose]() {
        site.close();
        for (const socket of open) socket.destroy();
      },
    };
    const port = await listen(site);
    await using place = await openForTest({ allowLoopbackPorts: new Set([port]) });
    const ask = (method: string) =>
      get(place.guard.url, `http://127.0.0.1:${port}/`, { method, headers: { 'content-length': '0' } });
    for (const method of ['POST', 'DELETE', 'PUT']) {
      assert.equal((await ask('GET')).status, 200);
      assert.equal((await ask(method)).status, 502, method);
    }
    assert.deepEqual(asked, ['GET', 'POST', 'GET', 'DELETE', 'GET', 'PUT']);
    assert.equal((await ask('GET')).status, 200);
    assert.equal((await ask('GET')).status, 200, 'what only asks is asked again');
  });

  it('does not make a whole answer of one that was cut', async () => {
    await using place = await openForTest();
    await assert.rejects(get(place.guard.url, 'http://site.test/cut'));
  });

  const broken: Record<string, string> = {
    'a word of control characters': 'HTTP/1.1 200 \u0001\u0002\r\nContent-Length: 0\r\n\r\n',
    'a status that is none': 'HTTP/1.1 042 What\r\nContent-Length: 0\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
    'no HTTP': 'SSH-2.0-OpenSSH\r\n',
    'a protocol nobody asked for': 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    nothing: '',
    'endless headers': `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`,
  };
  for (const [what, text] of Object.entries(broken)) {
    it(`survives a site that answers with ${what}`, async () => {
      const site = createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.end(text, 'latin1'));
      });
      const port = await listen(site);
      await using place = await openForTest({ allowLoopbackPorts: new Set([port]) });
      assert.equal((await get(place.guard.url, `http://127.0.0.1:${port}/`)).status, 502);
      assert.equal((await get(place.guard.url, 'http://site.test/')).status, 201);
      site.close();
    });
  }

  it('carries a tunnel both ways, and cuts it when the lists no longer allow it', async () => {
    await using place = await openForTest();
    const { status, socket } = await tunnel(place.guard.url, 'site.test:443');
    assert.equal(status, 200);
    socket.write('GET /inside HTTP/1.1\r\nHost: site.test\r\n\r\n');
    const [text] = await once<Buffer>(socket, 'data');
    assert.match(String(text), /^HTTP\/1.1 201/);
    place.guard.setLists({ allow: ['site.test'] });
    assert.equal(socket.destroyed, false);
    place.guard.setLists({ allow: ['other.test'] });
    await once(socket, 'close');
    assert.equal((await get(place.guard.url, 'http://site.test/')).status, 403);
    assert.equal((await get(place.guard.url, 'http://other.test/')).status, 201);
    assert.deepEqual(place.refused, [
      { via: 'request', host: 'site.test', port: 80, reason: 'not_allowed_domain', count: 1 },
    ]);
  });

  it('refuses a tunnel that the lists closed while it was being made', async () => {
    const answer = Promise.withResolvers<string[]>();
    const isResolving = Promise.withResolvers<void>();
    const resolve = () => {
      isResolving.resolve();
      return answer.promise;
    };
    await using place = await openForTest({ resolve });
    const asked = tunnel(place.guard.url, 'site.test:443');
    await isResolving.promise;
    place.guard.setLists({ deny: ['site.test'] });
    answer.resolve([PUBLIC]);
    const { status, socket } = await asked;
    socket.destroy();
    assert.equal(status, 403);
  });

  it('brings the end of what a site says that leaves at once, also to a slow reader', async () => {
    const whole = Buffer.alloc(5_000_000, 'x');
    const site = createTcpServer((socket) => void socket.on('error', () => undefined).end(whole));
    const port = await listen(site);
    await using place = await openForTest({ allowLoopbackPorts: new Set([port]) });
    const { socket } = await tunnel(place.guard.url, `127.0.0.1:${port}`);
    let received = 0;
    for await (const chunk of socket) {
      received += chunk.length;
      // In these turns of the loop the guard reads several pieces on.
      if (received < 1_000_000) for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    }
    assert.equal(received, whole.length);
    site.close();
  });

  const inside: Record<string, string[]> = {
    loopback: ['127.0.0.1'],
    private: ['10.0.0.1'],
    link_local: ['169.254.1.1'],
    metadata: ['169.254.169.254'],
    shared: ['100.64.0.1'],
    own: ['81.2.69.160'],
    'private beside public': [PUBLIC, '192.168.0.1'],
    'loopback of IPv6 beside public': [PUBLIC, '::1'],
  };
  for (const [kind, addresses] of Object.entries(inside)) {
    it(`refuses a name with an address that is ${kind}, and connects to none of them`, async () => {
      await using place = await openForTest({ resolve: async () => addresses, ownAddresses: () => ['81.2.69.160'] });
      const answer = await get(place.guard.url, 'http://inside.test/secret?token=1');
      assert.equal(answer.status, 403);
      const { status, socket } = await tunnel(place.guard.url, 'inside.test:443');
      socket.destroy();
      assert.equal(status, 403);
      assert.deepEqual(place.dialed, []);
      assert.deepEqual(
        place.refused.map(({ via, host, port }) => [via, host, port]),
        [
          ['request', 'inside.test', 80],
          ['tunnel', 'inside.test', 443],
        ],
      );
      assert.ok(!JSON.stringify(place.refused).includes('token'));
    });
  }

  it('connects to the address it checked when the next answer is another', async () => {
    const answers = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? [PUBLIC] : ['127.0.0.1']));
    await using place = await openForTest({
      resolve: async () => answers.shift() ?? [],
      limits: { rememberNamesMs: 0 },
    });
    const statuses: number[] = [];
    for (let i = 0; i < 20; i++) {
      const { status, socket } = await tunnel(place.guard.url, 'changing.test:443');
      socket.destroy();
      statuses.push(status);
    }
    assert.deepEqual(
      statuses,
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 200 : 403)),
    );
    assert.deepEqual(new Set(place.dialed.flat()), new Set([PUBLIC]));
  });

  it('refuses what is no address of the web', async () => {
    await using place = await openForTest();
    for (const path of [
      'file:///etc/passwd',
      'https://site.test/',
      'ftp://site.test/',
      '/relative',
      'http://u@site.test/',
    ])
      assert.equal((await get(place.guard.url, path)).status, 403, path);
    for (const to of ['site.test', 'site.test:0', '[::1', 'u@site.test:1']) {
      const { status, socket } = await tunnel(place.guard.url, to);
      socket.destroy();
      assert.equal(status, 403, to);
    }
    assert.deepEqual(place.dialed, []);
  });

  it('opens a named loopback port, and its own never', async () => {
    await using target = await openForTest();
    const ports = new Set([target.site.port, ...Array.from({ length: 65_535 }, (_, i) => i + 1)]);
    await using place = await openForTest({ allowLoopbackPorts: ports });
    assert.equal((await get(place.guard.url, `http://localhost:${target.site.port}/`)).status, 201);
    assert.equal((await get(place.guard.url, `${place.guard.url}/http://site.test/`)).status, 403);
  });

  it('tells the first refusal at once and the others together', async () => {
    await using place = await openForTest({ limits: { tellRefusalsEveryMs: 200 } });
    for (let i = 0; i < 30; i++) await get(place.guard.url, 'http://127.0.0.1/');
    const told = () => place.refused.reduce((sum, { count }) => sum + count, 0);
    await until(() => told() >= 30, 5000);
    assert.equal(place.refused[0]?.count, 1);
    assert.ok(place.refused.length < 10, `${place.refused.length} told`);
    assert.equal(told(), 30);
  });

  it('gives up a name that is not answered, a site that does not connect and one that is silent', async () => {
    await using slow = await openForTest({ resolve: () => new Promise(() => {}), limits: { resolveMs: 100 } });
    assert.equal((await get(slow.guard.url, 'http://site.test/')).status, 504);
    await using place = await openForTest({ limits: { idleMs: 150 } });
    await assert.rejects(get(place.guard.url, 'http://site.test/silent'));
    const { socket } = await tunnel(place.guard.url, 'site.test:443');
    await once(socket, 'close');
    const nobody = createTcpServer();
    const port = await listen(nobody);
    await new Promise((resolve) => nobody.close(resolve));
    await using open = await openForTest({ allowLoopbackPorts: new Set([port]) });
    assert.equal((await get(open.guard.url, `http://127.0.0.1:${port}/`)).status, 502);
  });

  it('holds no more connections than it may', async () => {
    await using place = await openForTest({ limits: { connections: 3 } });
    const tunnels = await Promise.all([1, 2, 3].map(() => tunnel(place.guard.url, 'site.test:443')));
    await assert.rejects(tunnel(place.guard.url, 'site.test:443'));
    for (const { socket } of tunnels) socket.destroy();
  });

  it('serves nobody but its own browser', {
    skip: process.getuid?.() !== 0 && 'only root has other users',
  }, async () => {
    await using place = await openForTest({ clientUid: 30_501 });
    const curl = (...args: string[]) =>
      new Promise<number>((resolve) => {
        const asking = ['--clear-groups', 'curl', '-s', '-m', '5', '-f', '-x', place.guard.url, 'http://site.test/'];
        execFile('/usr/bin/setpriv', [...args, ...asking], (error) => resolve(Number(error?.code ?? 0)));
      });
    assert.equal(await curl('--reuid=30501', '--regid=30501'), 0);
    const emptyReply = 52;
    assert.equal(await curl('--reuid=30502', '--regid=30502'), emptyReply);
    await assert.rejects(get(place.guard.url, 'http://site.test/'));
    await assert.rejects(tunnel(place.guard.url, 'site.test:443'));
    await assert.rejects(tunnel(place.guard.url, '127.0.0.1:443'));
    assert.equal(place.site.seen.length, 1, 'the site heard of its own browser only');
    assert.deepEqual(place.refused, [], 'and the viewer of nobody else');
  });

  it('ends everything when it is closed', async () => {
    const place = await openForTest();
    const { socket } = await tunnel(place.guard.url, 'site.test:443');
    const asking = assert.rejects(get(place.guard.url, 'http://site.test/silent'));
    await until(() => place.site.seen.some(({ url }) => url === '/silent'), 5000);
    await place[Symbol.asyncDispose]();
    await asking;
    if (!socket.destroyed) await once(socket, 'close');
    await assert.rejects(get(place.guard.url, 'http://site.test/'), /ECONNREFUSED/);
  });
});

function once<T>(socket: Socket, event: string): Promise<T[]> {
  socket.on('error', () => undefined);
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`no ${event}`)), 5000);
    socket.once(event, (...args: T[]) => {
      clearTimeout(late);
      resolve(args);
    });
  });
}
