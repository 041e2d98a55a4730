import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, createProgramLink, programIn, programOpen, programOut } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { createHostClient } from '@pilothouse/fleet';
import { newId } from '@pilothouse/store';
import { WebSocketServer } from 'ws';
import { listen } from '../../../../testkit/listen.ts';
import { until } from '../../../../testkit/until.ts';
import { createProgramSocket, maxUnreadBytes } from './program-socket.ts';

describe('the socket of a program', () => {
  let nats: NatsForTest;
  let server: Bus;
  let host: Bus;
  before(async () => {
    nats = await startNats({ hosts: ['h1'] });
    [server, host] = await Promise.all([connectBus(nats.as('server')), connectBus(nats.as({ host: 'h1' }))]);
  });
  after(async () => {
    await Promise.all([server?.close(), host?.close()]);
    await nats?.close();
  });

  it('is cut where the program does not read, before much is held for it', async () => {
    const [sessionId, connectionId] = [newId(), newId()];
    const at = { host_id: 'h1', session_id: sessionId, connection_id: connectionId };
    const ended: string[] = [];
    const link = createProgramLink({
      publish: (piece) => host.publish(programOut, at, piece).ok,
      onMessage: () => {},
      onEnd: (reason) => ended.push(reason),
      maxMessageBytes: 1024,
    });
    const heard = host.subscribe(programIn, at, link.take);
    const answering = host.respond(
      programOpen,
      { host_id: 'h1', session_id: sessionId },
      () => ({ ok: true }) as const,
    );
    await Promise.all([heard.ready({ timeoutMs: 5000 }), answering.ready({ timeoutMs: 5000 })]);
    const sockets = new WebSocketServer({ noServer: true });
    const http = createServer();
    let most = 0;
    const attached = Promise.withResolvers<boolean>();
    http.on('upgrade', (request, raw, head) =>
      sockets.handleUpgrade(request, raw, head, (socket) => {
        const watching = setInterval(() => (most = Math.max(most, socket.bufferedAmount)), 1);
        socket.once('close', () => clearInterval(watching));
        const parts = { bus: server, hosts: createHostClient(server), socket, connectionId, sessionId };
        createProgramSocket({ ...parts, whileDriven: 'fail' })
          .attach('h1')
          .then(attached.resolve, attached.reject);
      }),
    );
    const { url, close } = await listen(http);
    const { port, host: name } = new URL(url);
    const client = connect(Number(port), '127.0.0.1').pause();
    client.on('error', () => {});
    const key = Buffer.from('0123456789abcdef').toString('base64');
    const lines = [`GET / HTTP/1.1`, `Host: ${name}`, 'Connection: Upgrade', 'Upgrade: websocket'];
    client.write([...lines, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${key}`, '', ''].join('\r\n'));
    assert.ok(await attached.promise);
    const large = 'x'.repeat(512 * 1024);
    const flood = setInterval(() => ended.length === 0 && link.send(large), 5);
    await until(() => ended.length > 0, 20_000).finally(() => clearInterval(flood));
    assert.deepEqual(ended, ['the program left']);
    assert.ok(most <= maxUnreadBytes + 2 * large.length, `${most} bytes were held`);
    client.destroy();
    await answering.close();
    await close();
  });
});
