// The proxy of the compose file, before one server that may be away for a moment.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { figuresOf } from '../../testkit/percentiles.ts';
import { type ProxyForTest, startComposeProxy, withoutProxy } from '../../testkit/proxies/proxies.ts';

const events = 20;
const everyMs = 60;

describe('the proxy of the compose file', { skip: withoutProxy('caddy') }, () => {
  let server: Server;
  let proxy: ProxyForTest;
  let connections = 0;
  beforeEach(async () => {
    server = createServer(async ({ url, method }, response) => {
      if (url !== '/events') return void response.end(JSON.stringify({ url, method }));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      for (let i = 0; i < events; i += 1) {
        response.write(`data: ${performance.now()}\n\n`);
        await sleep(everyMs);
      }
      response.end();
    });
    connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    proxy = await startComposeProxy((server.address() as AddressInfo).port); // it listens on TCP
  });
  afterEach(async () => {
    await proxy?.close();
    server.close();
    server.closeAllConnections();
  });

  async function ask(path: string, options: { method?: string; headers?: Record<string, string> } = {}) {
    const signal = AbortSignal.timeout(10_000);
    const request = get(`${proxy.url}${path}`, { ca: proxy.authority, agent: false, signal, ...options });
    const [response]: IncomingMessage[] = await once(request, 'response');
    assert.ok(response);
    return response;
  }

  it('keeps no connection to the server, which may end at any time', async () => {
    for (let i = 0; i < 3; i += 1) (await ask('/api/health')).resume();
    assert.equal(connections, 3);
  });

  it('lets a write wait for a server that is made again, and brings it once', async () => {
    const { port } = server.address() as AddressInfo; // it listens on TCP
    server.close();
    await once(server, 'close');
    const asked = ask('/api/chat', { method: 'POST' });
    await sleep(1500);
    server.listen(port, '127.0.0.1');
    assert.equal((await asked).statusCode, 200);
    assert.equal(connections, 1);
  });

  it('sends events one by one, as they happen', async (test) => {
    const response = await ask('/events', { headers: { accept: 'text/event-stream' } });
    const lags: number[] = [];
    for await (const piece of response.setEncoding('utf8')) {
      const arrived = performance.now();
      for (const [, at] of String(piece).matchAll(/^data: (.*)$/gm)) lags.push(arrived - Number(at));
    }
    const figures = figuresOf(lags);
    test.diagnostic(`lag of events: ${JSON.stringify(figures)} ms`);
    assert.equal(figures.count, events);
    assert.ok(figures.p50 < 50, `${figures.p50} ms`);
  });
});
