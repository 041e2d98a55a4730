import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, createProgramLink, programIn, programOpen, programOut } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { type Browser, type ConnectOverCDPTransport, chromium } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { createRawClient } from '../../testing/guests.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { type Site, startSite } from '../../testing/site.ts';
import { newId } from '../common/id.ts';

describe('a program that drives a session over the bus', () => {
  let nats: NatsForTest;
  let site: Site;
  let server: Bus;
  let host: HostForTest;
  before(async () => {
    [nats, site] = await Promise.all([startNats({ hosts: ['h1', 'h2'] }), startSite()]);
    server = await connectBus(nats.as('server'));
    host = await startHost(nats, 'h1');
  });
  after(async () => {
    await server?.close();
    await host?.close();
    await site?.close();
    await nats?.close();
  });

  /** The bus end of a connection, as a server has it. */
  async function connect(sessionId: string, onMessage: (text: string) => void, onEnd = () => {}) {
    const at = { host_id: 'h1', session_id: sessionId, connection_id: newId() };
    const ended: string[] = [];
    const link = createProgramLink({
      publish: (piece) => server.publish(programIn, at, piece).ok,
      onMessage,
      onEnd(reason) {
        ended.push(reason);
        onEnd();
      },
      maxMessageBytes: 64 * 1024 * 1024,
    });
    const heard = server.subscribe(programOut, at, link.take);
    await heard.ready({ timeoutMs: 5000 });
    const request = { connection_id: at.connection_id, while_driven: 'fail' } as const;
    const opened = await server.request(programOpen, at, request, { timeoutMs: 10_000 });
    assert.ok(opened.ok && opened.reply.ok, JSON.stringify(opened));
    return { link, ended, at };
  }
  async function connectPlaywright(sessionId: string): Promise<Browser> {
    const transport: ConnectOverCDPTransport = {
      send: (message) => bare.link.send(JSON.stringify(message)),
      close: async () => bare.link.end('done'),
    };
    const hear = (text: string) => void setImmediate(() => transport.onmessage?.(JSON.parse(text)));
    const bare = await connect(sessionId, hear, () => transport.onclose?.('it ended'));
    return chromium.connectOverCDP(transport, { timeout: 20_000 });
  }

  it('drives under its own epoch, and neither before it nor after it', async () => {
    const session = drive(server, 'h1');
    await session.open();
    await session.act({ action: 'navigate', url: `${site.url}/form` });
    const client = createRawClient((text) => bare.link.send(text));
    const bare = await connect(session.sessionId, client.hear);
    const create = () => client.ask('Target.createTarget', { url: 'about:blank' });
    assert.match((await create()).error?.message ?? '', /another drives this session \(epoch 1\); nothing was done/);
    const take = (epoch: number, kind: object) => session.tell({ type: 'take', epoch, ...kind });
    assert.ok((await take(2, { is_program: true })).head.ok);
    assert.ok((await create()).result);
    assert.ok((await take(3, { is_person: true })).head.ok);
    assert.match((await create()).error?.message ?? '', /a person drives this session \(epoch 3\)/);
    assert.equal((await take(2, { is_program: true })).head.ok, false, 'its epoch is over');
    assert.match((await create()).error?.message ?? '', /epoch 3/);
    assert.ok((await take(4, { is_program: true })).head.ok);
    assert.ok((await create()).result);
    const acted = await session.act({ action: 'screenshot' }, { epoch: 5 });
    assert.ok(acted);
    assert.match((await create()).error?.message ?? '', /a task drives this session \(epoch 5\)/);
    assert.deepEqual(
      client.events
        .filter(({ method }) => method.startsWith('Pilothouse.'))
        .map(({ method, params }) => [method, params.epoch]),
      [
        ['Pilothouse.wheelReturned', 2],
        ['Pilothouse.wheelTaken', 3],
        ['Pilothouse.wheelReturned', 4],
        ['Pilothouse.wheelTaken', 5],
      ],
    );
    bare.link.end('done');
    await session.closeSession();
  });

  it('is Playwright as it is, with large answers in pieces, and goes on after a person has driven', async () => {
    const session = drive(server, 'h1');
    await session.open();
    await session.act({ action: 'navigate', url: `${site.url}/form` });
    await session.tell({ type: 'take', epoch: 2, is_program: true });
    const browser = await connectPlaywright(session.sessionId);
    const [page] = browser.contexts()[0]?.pages() ?? [];
    assert.ok(page);
    await page.getByRole('button', { name: 'Count' }).click();
    const large = 'x'.repeat(3_000_000);
    assert.equal(await page.evaluate((text) => text, large), large);
    await session.tell({ type: 'take', epoch: 3, is_person: true });
    await assert.rejects(page.getByLabel('Name').fill('Anna'), /a person drives this session \(epoch 3\)/);
    const inputs = [{ seq: 1, input: { action: 'navigate' as const, url: `${site.url}/welcome` } }];
    assert.ok((await session.tell({ type: 'input', epoch: 3, inputs })).head.ok);
    await session.tell({ type: 'take', epoch: 4, is_program: true });
    await until(() => page.url() === `${site.url}/welcome`, 5000);
    await page.goto(`${site.url}/form`);
    await page.getByLabel('Name').fill('Berta');
    assert.equal(await page.getByLabel('Name').inputValue(), 'Berta');
    await browser.close();
    await session.closeSession();
  });

  it('is told when its browser ends', async () => {
    const session = drive(server, 'h1');
    await session.open();
    const { ended } = await connect(session.sessionId, () => {});
    await session.closeSession();
    await until(() => ended.length === 1, 5000);
    assert.deepEqual(ended, ['the browser of the session ends']);
  });

  it('of another host cannot be heard nor spoken to', async () => {
    const stranger = await connectBus(nats.as({ host: 'h2' }));
    const at = { host_id: 'h1', session_id: newId(), connection_id: newId() };
    const heard = stranger.subscribe(programIn, at, () => {});
    await assert.rejects(heard.ready({ timeoutMs: 5000 }));
    const told: unknown[] = [];
    const listening = server.subscribe(programOut, at, (piece) => void told.push(piece));
    await listening.ready({ timeoutMs: 5000 });
    stranger.publish(programOut, at, { kind: 'last', seq: 0, bytes: Buffer.from('{}') });
    await stranger.ping({ timeoutMs: 5000 });
    await server.ping({ timeoutMs: 5000 });
    assert.deepEqual(told, []);
    await stranger.close();
  });
});
