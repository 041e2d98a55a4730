import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { OnlyIf, View } from '@pilothouse/bus';
import { listen } from '../../../../testkit/listen.ts';
import { type OpenedSession, openSessionOnHost } from '../../testing/open-session.ts';

const html = `<!doctype html><title>Shop</title><form action="/pay" method=post onsubmit="return false">
  <button id=pay onclick="document.title = 'clicked ' + document.title">Pay € 20</button><label>Name <input></label></form>
  <button id=sly onmouseenter="this.textContent = 'Delete all'" onclick="document.title = 'sly'">Look</button>
  <div style="cursor: pointer" onclick="document.title = 'card'">A <b>card</b></div>
  <button ondblclick="document.title = 'twice'" onclick="this.textContent = 'Other'">Twice</button>`;

describe('a step that is done only if', () => {
  let host: OpenedSession;
  let site: Awaited<ReturnType<typeof listen>>;
  let session: OpenedSession['session'];
  before(async () => {
    site = await listen(
      createServer((_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html)),
    );
    host = await openSessionOnHost();
    session = host.session;
  });
  after(async () => {
    await host?.close();
    await site?.close();
  });

  async function opened(): Promise<View> {
    await session.act({ action: 'navigate', url: `${site.url}/shop` });
    const { head } = await session.tell({ type: 'observe', as: 'view' });
    assert.ok(head.ok && head.type === 'viewed', JSON.stringify(head));
    return head.view;
  }
  const titleNow = async () => (await session.act({ action: 'screenshot' })).acted.after.title;
  const handleOf = (view: View, name: string) => {
    const handle = view.handles.find((one) => one.name === name);
    assert.ok(handle, view.text);
    const { ref, role, frame_origin: origin, form } = handle;
    const { origin: page_origin, pathname: path } = new URL(view.url);
    const onlyIf: OnlyIf = { role, name, origin, page_origin, path, form_action: form?.action ?? null };
    return { target: { ref }, onlyIf };
  };

  it('everything is as the view said, is done, by each kind of handle', async () => {
    const view = await opened();
    const { target, onlyIf } = handleOf(view, 'Pay € 20');
    const { acted } = await session.act({ action: 'click', target }, { onlyIf });
    assert.equal(acted.after.title, 'clicked Shop');
    const field = handleOf(view, 'Name');
    await session.act({ action: 'type', target: field.target, text: 'Anna' }, { onlyIf: field.onlyIf });
    const card = handleOf(view, 'A card');
    const clicked = await session.act({ action: 'click', target: card.target }, { onlyIf: card.onlyIf });
    assert.equal(clicked.acted.after.title, 'card');
    const twice = handleOf(view, 'Twice');
    const double = await session.act({ action: 'double_click', target: twice.target }, { onlyIf: twice.onlyIf });
    assert.equal(double.acted.after.title, 'twice');
  });

  it('one thing is other than the view said, is not done, and nothing is touched', async () => {
    const view = await opened();
    const { target, onlyIf } = handleOf(view, 'Pay € 20');
    const others: OnlyIf[] = [
      { name: 'Pay € 10' },
      { role: 'link' },
      { origin: 'https://other.example' },
      { page_origin: 'https://other.example' },
      { path: '/elsewhere' },
      { form_action: `${site.url}/other` },
      { form_action: null },
    ];
    for (const other of others) {
      const { head } = await session.tryTo({ action: 'click', target }, { onlyIf: { ...onlyIf, ...other } });
      assert.ok(!head.ok, JSON.stringify(other));
      assert.deepEqual([head.failure, head.has_touched], ['changed', false], JSON.stringify({ other, head }));
    }
    assert.equal(await titleNow(), 'Shop');
  });

  it('a step without a target is held to the page', async () => {
    await opened();
    const press = { action: 'press', key: 'Tab' } as const;
    assert.equal(await session.failureOf(press, { onlyIf: { path: '/elsewhere' } }), 'changed');
    assert.equal(await session.failureOf(press, { onlyIf: { path: '/shop' } }), undefined);
  });

  it('the page changes it under the pointer, is not clicked', async () => {
    const view = await opened();
    const { target, onlyIf } = handleOf(view, 'Look');
    assert.equal(await session.failureOf({ action: 'click', target }, { onlyIf }), 'changed');
    assert.equal(await titleNow(), 'Shop');
  });
});
