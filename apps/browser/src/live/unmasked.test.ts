import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import type { CDPSession } from 'playwright-core';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { openSession } from '../session/session.ts';

const first = '<!doctype html><title>First</title><button>Rest</button>';
const card = (number: string) => `<!doctype html><title>Card</title><input name=cardnumber value=${number}>`;
const numbers = ['4111111111111111', '5555555555554444'];

describe('a page that cannot be masked', () => {
  let nats: NatsForTest;
  let site: Server;
  let url: string;
  let agent: Bus;
  let host: HostForTest;
  let isRefused = false;
  let refusals = 0;

  before(async () => {
    site = createServer((request, response) => {
      const [path, query] = request.url?.split('?') ?? [];
      const html = path === '/card' ? card(numbers[Number(query)] ?? '') : first;
      response.setHeader('content-type', 'text/html').end(html);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    // Listening on TCP, so the address is of this kind.
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    nats = await startNats({ hosts: ['h1'] });
    agent = await connectBus(nats.as('agent'));
    host = await startHost(nats, 'h1', {
      openSession: async (options) => {
        const session = await openSession(options);
        for (const context of options.chromium.browser.contexts()) {
          const open = context.newCDPSession.bind(context);
          context.newCDPSession = async (page) => refusing(await open(page));
        }
        return session;
      },
    });
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await nats?.close();
    site?.closeAllConnections();
    await new Promise((resolve) => site?.close(resolve));
  });

  function refusing(session: CDPSession): CDPSession {
    const send = session.send.bind(session) as (method: string, params?: object) => Promise<unknown>;
    const refuse = async (method: string, params?: object) => {
      if (!isRefused || method !== 'Page.addScriptToEvaluateOnNewDocument') return send(method, params);
      refusals += 1;
      throw new Error('the target crashed');
    };
    // The types of the library name every command; this passes on whichever it is.
    session.send = refuse as CDPSession['send'];
    return session;
  }

  async function opened() {
    const session = drive(agent, 'h1');
    await session.open();
    await session.act({ action: 'navigate', url });
    const look = async () => {
      const { head, body } = await session.tell({ type: 'look' });
      assert.ok(head.ok && head.type === 'seen');
      return { ...head.picture, image: Buffer.from(body).toString('base64') };
    };
    return { ...session, look };
  }

  it('is private until it is, and is tried again', async () => {
    const pictures: string[] = [];
    for (const query of ['0', '1']) {
      const session = await opened();
      refusals = 0;
      isRefused = true;
      const { acted } = await session.act({ action: 'new_page', url: `${url}/card?${query}` });
      assert.equal(acted.picture?.private, true, 'the picture of the step');
      assert.equal(acted.picture?.private_reason, 'page_not_masked');
      assert.equal((await session.look()).private, true);
      await until(() => refusals > 1, 5000);
      isRefused = false;
      await until(async () => !(await session.look()).private, 5000);
      const { image } = await session.act({ action: 'screenshot' });
      pictures.push(Buffer.from(image).toString('base64'));
      await session.closeSession();
    }
    assert.ok(pictures[0] === pictures[1], 'the number is covered');
  });

  it('costs one that can be nothing: its first step picture is for everybody', async () => {
    const session = await opened();
    const { acted } = await session.act({ action: 'new_page', url });
    assert.equal(acted.picture?.private_reason, undefined);
    assert.equal(acted.picture?.private, false);
    await session.closeSession();
  });
});
