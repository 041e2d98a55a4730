import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import {
  type Bus,
  connectBus,
  createProgramLink,
  type ProgramOpen,
  type ProgramRules,
  programIn,
  programOpen,
  programOut,
} from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { createHostClient } from '@pilothouse/fleet';
import { newId } from '@pilothouse/store';
import { WebSocket, WebSocketServer } from 'ws';
import { listen } from '../../../../testkit/listen.ts';
import { until } from '../../../../testkit/until.ts';
import { createProgramSocket, maxUnreadBytes } from './program-socket.ts';

const rules: ProgramRules = {
  rules: { mode: 'standard', allow: [], deny: [], read_only: [], watch: [] },
  is_given: false,
  is_watched: false,
};

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

  /** A program's address at a server, and the host of its session. */
  async function open() {
    const [sessionId, connectionId] = [newId(), newId()];
    const at = { host_id: 'h1', session_id: sessionId, connection_id: connectionId };
    const ended: string[] = [];
    const said: string[] = [];
    const link = createProgramLink({
      publish: (piece) => host.publish(programOut, at, piece).ok,
      onMessage: (text) => said.push(text),
      onEnd: (reason) => ended.push(reason),
      maxMessageBytes: 1024,
      turns: true,
    });
    const heard = host.subscribe(programIn, at, link.take);
    const asked: ProgramOpen[] = [];
    const answering = host.respond(programOpen, { host_id: 'h1', session_id: sessionId }, (request) => {
      asked.push(request);
      return { ok: true, judges: true } as const;
    });
    await Promise.all([heard.ready({ timeoutMs: 5000 }), answering.ready({ timeoutMs: 5000 })]);
    const sockets = new WebSocketServer({ noServer: true });
    const http = createServer();
    let most = 0;
    const attached = Promise.withResolvers<boolean>();
    http.on('upgrade', (request, raw, head) =>
      sockets.handleUpgrade(request, raw, head, (socket) => {
        const watching = setInterval(() => (most = Math.max(most, socket.bufferedAmount)), 1);
        socket.once('close', () => clearInterval(watching));
        const parts = { bus: server, hosts: createHostClient(server), socket, wire: raw, connectionId, sessionId };
        const program = createProgramSocket({ ...parts, whileDriven: 'fail' });
        program.setRules(rules);
        program.attach('h1').then(attached.resolve, attached.reject);
      }),
    );
    const { url, close: closeServer } = await listen(http);
    const close = async () => {
      await answering.close();
      await closeServer();
    };
    return { url, link, said, ended, asked, attached: attached.promise, most: () => most, close };
  }

  /** A program that reads nothing, and its host, which sends messages of this size until it has left. Returns the most that was held. */
  async function flood(messageBytes: number): Promise<number> {
    const { url, link, ended, attached, most, close } = await open();
    const { port, host: name } = new URL(url);
    const client = connect(Number(port), '127.0.0.1').pause();
    client.on('error', () => {});
    const key = Buffer.from('0123456789abcdef').toString('base64');
    const lines = [`GET / HTTP/1.1`, `Host: ${name}`, 'Connection: Upgrade', 'Upgrade: websocket'];
    client.write([...lines, 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${key}`, '', ''].join('\r\n'));
    assert.ok(await attached);
    const large = 'x'.repeat(messageBytes);
    const sending = setInterval(() => ended.length === 0 && link.send(large), 5);
    await until(() => ended.length > 0, 20_000).finally(() => clearInterval(sending));
    assert.deepEqual(ended, ['the program left']);
    client.destroy();
    await close();
    return most();
  }

  it('is cut where the program does not read, before much is held for it', async () => {
    const small = 512 * 1024;
    const held = await flood(small);
    assert.ok(held <= maxUnreadBytes + small, `${held} bytes were held`);
  });

  it('holds no large message for a program that has not read the one before', async () => {
    // Of the first the kernel takes a part, and the second finds the rest of it.
    const large = 14 * 1024 * 1024;
    const held = await flood(large);
    assert.ok(held > 0 && held <= maxUnreadBytes, `${held} bytes were held`);
  });

  it('hears in one turn what its host says in one, and says when it has heard it', async () => {
    const { url, link, said, asked, attached, close } = await open();
    const client = new WebSocket(url.replace('http', 'ws'));
    const turns: string[][] = [];
    client.on('message', (text) => {
      if (turns.length === 0 || turns.at(-1)?.[0] === 'over') turns.push([]);
      turns.at(-1)?.push(String(text));
      setImmediate(() => turns.at(-1)?.[0] !== 'over' && turns.push(['over']));
    });
    client.on('message', (text) => client.send(`heard ${text}`));
    assert.ok(await attached);
    assert.deepEqual(
      asked.map(({ turns: together }) => together),
      [true],
    );
    for (let round = 0; round < 20; round += 1) {
      turns.length = 0;
      said.length = 0;
      const told = Array.from({ length: 10 }, (_, n) => `${round} ${n} ${'x'.repeat(1000)}`);
      for (const text of told) link.send(text);
      await link.roundTrip();
      assert.deepEqual(
        said,
        told.map((text) => `heard ${text}`),
      );
      assert.deepEqual(turns[0], told, `round ${round}`);
    }
    client.close();
    await close();
  });

  it('is attached only with rules, and only to a host that holds acts to them', async () => {
    const [sessionId, connectionId] = [newId(), newId()];
    const asked: ProgramOpen[] = [];
    let judges = false;
    const answering = host.respond(programOpen, { host_id: 'h1', session_id: sessionId }, (request) => {
      asked.push(request);
      return { ok: true, ...(judges && { judges }) } as const;
    });
    await answering.ready({ timeoutMs: 5000 });
    // Nothing of it is used before it is attached.
    const socket = Object.assign(new EventEmitter(), { readyState: 1, bufferedAmount: 0, close: () => {} }) as unknown;
    const parts = {
      bus: server,
      hosts: createHostClient(server),
      socket: socket as WebSocket,
      wire: new Duplex(),
      connectionId,
      sessionId,
    };
    const program = createProgramSocket({ ...parts, whileDriven: 'fail' });
    assert.equal(await program.attach('h1'), false);
    assert.equal(asked.length, 0);
    program.setRules(rules);
    assert.equal(await program.attach('h1'), false, 'a host of an older release');
    judges = true;
    assert.equal(await program.attach('h1'), true);
    assert.deepEqual(
      asked.map((one) => one.rules),
      [rules, rules],
    );
    await answering.close();
  });
});
