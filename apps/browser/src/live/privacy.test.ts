import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, type Frame, frame, queues, type Report, report } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';

const page = `<!doctype html><title>Fields</title><style>* { margin: 0 } body > * { position: absolute; left: 20px; width: 300px; height: 30px }</style>
  <label style="top:20px">Name <input id=name></label>
  <input style="top:70px" type=password aria-label=Password>
  <div style="top:120px; border: 1px solid" contenteditable aria-label=Note></div>
  <button style="top:170px">Rest</button>
  <button style="top:320px" onclick="confirm('Is it sesame?')">Ask</button>
  <div style="top:370px; border: 1px solid" contenteditable aria-label=Own></div>
  <script>document.querySelector('[aria-label=Own]').addEventListener('beforeinput', (event) => {
    event.preventDefault(); event.target.append(event.data) })</script>
  <iframe style="top:220px" src="/frame"></iframe>`;
const inner = `<!doctype html><style>* { margin: 0 }</style><input aria-label=Inner>`;
const places = { name: 85, password: 85, note: 135, rest: 185, inner: 230, ask: 335, own: 385 };
const at = (y: number) => ({ x: 100, y });

describe('what is only for who drives', () => {
  let nats: NatsForTest;
  let site: Server;
  let url: string;
  let agent: Bus;
  let server: Bus;
  let host: HostForTest;
  before(async () => {
    site = createServer((request, response) => {
      response.setHeader('content-type', 'text/html').end(request.url === '/frame' ? inner : page);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    // Listening on TCP, so the address is of this kind.
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    nats = await startNats({ hosts: ['h1'] });
    agent = await connectBus(nats.as('agent'));
    server = await connectBus(nats.as('server'));
    host = await startHost(nats, 'h1');
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await server?.close();
    await nats?.close();
    site?.closeAllConnections();
    await new Promise((resolve) => site?.close(resolve));
  });

  async function opened() {
    const session = drive(agent, 'h1');
    await session.open();
    await session.act({ action: 'navigate', url });
    const look = async () => {
      const { head, body } = await session.tell({ type: 'look' });
      assert.ok(head.ok && head.type === 'seen');
      return { ...head.picture, written: head.written, image: Buffer.from(body).toString('base64') };
    };
    return { ...session, look };
  }
  type Session = Awaited<ReturnType<typeof opened>>;

  const hand = (session: Session, epoch: number, ...inputs: object[]) =>
    session.tell({
      type: 'input',
      epoch,
      // What each is, the schema of the bus checks.
      inputs: inputs.map((input) => ({ seq: 0, input })) as never,
    });

  it('is a page whose focus is in a password', async () => {
    const session = await opened();
    assert.equal((await session.look()).private, false);
    const { acted } = await session.act({ action: 'type', target: 'Password', text: 'sesame' });
    assert.equal(acted.picture?.private, true);
    await session.act({ action: 'click', target: 'Rest' });
    await until(async () => !(await session.look()).private, 2000);
    await session.closeSession(9);
  });

  it('is a password that a person left the focus in, until it is elsewhere', async () => {
    const session = await opened();
    await session.tell({ type: 'watch', for_ms: 30_000 });
    await session.tell({ type: 'take', epoch: 2, is_person: true });
    await hand(session, 2, { action: 'click', ...at(places.password) }, { action: 'type', text: 'sesame' });
    await session.tell({ type: 'take', epoch: 3 });
    assert.equal((await session.look()).private, true);
    await session.act({ action: 'click', target: 'Rest' }, { epoch: 3 });
    await until(async () => !(await session.look()).private, 2000);
    await session.closeSession(9);
  });

  it('is what a page says and where it is, in reports', async () => {
    const session = await opened();
    const heard: Report[] = [];
    const hear = async (told: Report) => {
      heard.push(told);
      return {};
    };
    const responder = agent.respond(report, {}, hear, { queue: queues.report });
    await responder.ready({ timeoutMs: 2000 });
    await session.tell({ type: 'take', epoch: 2, is_person: true });
    await hand(session, 2, { action: 'click', ...at(places.ask) });
    await until(() => heard.length > 0, 3000);
    assert.ok(heard[0]?.type === 'dialog' && heard[0].dialog?.kind === 'confirm', JSON.stringify(heard));
    assert.ok(!JSON.stringify(heard).includes('sesame'));
    await hand(session, 2, { action: 'answer_dialog', accept: true });
    await session.closeSession(9);
    await responder.close();
  });

  it('is all that a person sees; what they wrote is covered before anybody else sees the page', async () => {
    const pictures: string[] = [];
    for (const secret of ['first secret', 'other things']) {
      const session = await opened();
      const frames: Frame[] = [];
      const watching = server.subscribeNewest(frame, { session_id: session.sessionId }, (shown) => {
        frames.push(shown);
      });
      await watching.ready({ timeoutMs: 2000 });
      await session.tell({ type: 'watch', for_ms: 30_000 });
      await session.tell({ type: 'take', epoch: 2, is_person: true });
      const typed = { action: 'type', text: secret };
      await hand(session, 2, { action: 'click', x: 180, y: 30 }, typed);
      await hand(session, 2, { action: 'click', ...at(places.note) }, typed);
      // One that lets nothing be written into it, and writes it itself.
      await hand(session, 2, { action: 'click', ...at(places.own) }, typed);
      await hand(session, 2, { action: 'click', ...at(places.inner) }, typed);
      const seen = await session.look();
      assert.deepEqual([seen.private, seen.epoch], [true, 2]);
      await until(() => frames.some(({ header }) => header.epoch === 2), 3000);
      // Said again by an agent that was stopped: it is still a person's.
      await session.tell({ type: 'take', epoch: 2 });
      assert.equal((await session.look()).private, true);
      const { head } = await session.tell({ type: 'observe', bring: ['text'] });
      assert.ok(head.ok && head.type === 'observed' && head.observation.outline.length === 0);
      const viewed = (await session.tell({ type: 'observe', as: 'view' })).head;
      assert.ok(viewed.ok && viewed.type === 'viewed' && viewed.view.text === '' && viewed.view.handles.length === 0);

      await session.tell({ type: 'take', epoch: 3 });
      // The page is at rest, and yet there is a frame for everybody.
      await until(() => frames.at(-1)?.header.private === false, 3000);
      const back = await session.act({ action: 'click', target: 'Rest' }, { epoch: 3 });
      assert.equal(back.acted.picture?.private, false);
      assert.deepEqual((await session.look()).written.toSorted(), ['Inner', 'Name', 'Note', 'Own']);
      pictures.push(Buffer.from(back.image).toString('base64'));
      const after = await session.tell({ type: 'observe', bring: ['text'] });
      assert.ok(!JSON.stringify(after.head).includes(secret), JSON.stringify(after.head));
      const again = (await session.tell({ type: 'observe', as: 'view' })).head;
      assert.ok(again.ok && again.type === 'viewed' && again.view.text.includes('••••'), JSON.stringify(again));
      assert.ok(!JSON.stringify(again).includes(secret), JSON.stringify(again));
      await until(() => frames.at(-1)?.header.private === false, 3000);
      for (const { header } of frames) assert.ok(header.private || header.epoch !== 2, JSON.stringify(header));
      watching.close();
      await session.closeSession(9);
    }
    assert.ok(pictures[0] === pictures[1], 'nothing tells what was written');
  });
});
