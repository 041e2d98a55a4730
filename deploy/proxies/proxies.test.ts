import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, get as plainGet, type Server } from 'node:http';
import { get, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { figuresOf } from '../../testkit/percentiles.ts';
import { type ProxyForTest, proxyNames, startProxy, withoutProxy } from '../../testkit/proxies/proxies.ts';

const events = 25;
const everyMs = 60;
const answerMs = 10_000;
/** Of RFC 6455: HAProxy checks what is made of it. */
const webSocketId = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Says what it was asked, streams events with the time of each, and takes WebSockets far enough to echo bytes. */
async function startUpstream(): Promise<Server> {
  const server = createServer(async ({ url, headers, method }, response) => {
    if (url !== '/events') return void response.end(JSON.stringify({ url, method, headers }));
    // Without `x-accel-buffering`, which the servers send: the files have to be enough.
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    for (let i = 0; i < events; i += 1) {
      response.write(`data: ${performance.now()}\n\n`);
      await sleep(everyMs);
    }
    response.end();
  });
  server.on('upgrade', ({ headers }, socket) => {
    const accept = createHash('sha1')
      .update(headers['sec-websocket-key'] + webSocketId)
      .digest('base64');
    const head = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
    socket.write([...head, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
    socket.on('error', () => {}).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
const portOf = (server: Server) => (server.address() as AddressInfo).port; // it listens on TCP

for (const name of proxyNames) {
  describe(`servers behind the ${name} of the example`, { skip: withoutProxy(name) }, () => {
    let servers: [Server, Server];
    let proxy: ProxyForTest;
    before(async () => {
      servers = [await startUpstream(), await startUpstream()];
      proxy = await startProxy(name, [portOf(servers[0]), portOf(servers[1])]);
    });
    after(async () => {
      await proxy?.close();
      for (const server of servers ?? []) {
        server.close();
        server.closeAllConnections();
      }
    });

    const ask = async (path: string, options: RequestOptions = {}): Promise<IncomingMessage> => {
      const signal = AbortSignal.timeout(answerMs);
      const request = get(`${proxy.url}${path}`, { ca: proxy.authority, agent: false, signal, ...options });
      const [response] = await once(request, 'response');
      return response;
    };
    const read = async (response: IncomingMessage) => {
      let text = '';
      for await (const piece of response.setEncoding('utf8')) text += piece;
      return text;
    };

    it('send events one by one, as they happen', async (test) => {
      const response = await ask('/events', { headers: { 'accept-encoding': 'gzip, br, zstd' } });
      assert.equal(response.headers['content-encoding'], undefined);
      const lags: number[] = [];
      for await (const piece of response.setEncoding('utf8')) {
        const arrived = performance.now();
        const sent = [...String(piece).matchAll(/^data: (.*)$/gm)];
        for (const [, at] of sent) lags.push(arrived - Number(at));
      }
      const figures = figuresOf(lags);
      test.diagnostic(`lag of events: ${JSON.stringify(figures)} ms`);
      assert.equal(figures.count, events);
      // Where events are held back it is a second or more, and 109 ms at HAProxy without http-no-delay.
      assert.ok(figures.p50 < 50, `${figures.p50} ms`);
    });

    it('hear of the caller as they are, whatever the caller says', async () => {
      const headers = { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' };
      const heard = JSON.parse(await read(await ask('/api/health?a=1', { headers })));
      assert.equal(heard.url, '/api/health?a=1');
      assert.equal(heard.headers.host, new URL(proxy.url).host);
      assert.equal(heard.headers['x-forwarded-for'], '127.0.0.1');
      assert.equal(heard.headers['x-forwarded-proto'], 'https');
    });

    it('take WebSockets', async () => {
      const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      const request = get(`${proxy.url}/cdp/x`, {
        ca: proxy.authority,
        agent: false,
        headers: { ...headers, 'sec-websocket-key': Buffer.alloc(16).toString('base64') },
      });
      const signal = AbortSignal.timeout(answerMs);
      const [response, socket] = await once(request, 'upgrade', { signal });
      assert.equal(response.statusCode, 101);
      socket.write('hello');
      assert.equal(String((await once(socket, 'data', { signal }))[0]), 'hello');
      socket.destroy();
    });

    it('are asked over TLS only', { skip: name === 'caddy' && 'its redirect is on port 80' }, async () => {
      const [response] = await once(plainGet(`${proxy.plainUrl}/a`, { agent: false }), 'response');
      response.resume();
      assert.equal(response.statusCode, 301);
      assert.match(response.headers.location ?? '', /^https:\/\/localhost.*\/a$/);
    });

    it('may be one: writes go to the one that is there', async () => {
      servers[0].close();
      servers[0].closeAllConnections();
      for (let i = 0; i < 6; i += 1) {
        const response = await ask('/api/chat', { method: 'POST' });
        assert.equal(response.statusCode, 200);
        assert.equal(JSON.parse(await read(response)).method, 'POST');
      }
    });
  });
}
