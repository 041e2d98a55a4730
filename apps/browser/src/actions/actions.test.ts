import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, fileCommand, filePieceBytes } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { until } from '../../../../testkit/until.ts';
import { rendererPids } from '../../testing/processes.ts';
import { openSessionAtHost, type SessionAtHost } from '../../testing/session-at-host.ts';
import { startSite } from '../../testing/site.ts';
import { newId } from '../common/id.ts';

describe('actions', () => {
  let opened: SessionAtHost;
  let site: Awaited<ReturnType<typeof startSite>>;
  let agent: Bus;
  let host: SessionAtHost['host'];
  let session: SessionAtHost['session'];
  before(async () => {
    [opened, site] = await Promise.all([
      openSessionAtHost({ fileLimits: { fileBytes: 5 * filePieceBytes, files: 10 } }),
      startSite(),
    ]);
    ({ agent, host, session } = opened);
  });
  after(async () => {
    await opened?.close();
    await site?.close();
  });
  const workshop = () => session.act({ action: 'navigate', url: `${site.url}/workshop` });

  // The step, and the title that the page has after it.
  const steps: [Step, string][] = [
    [{ action: 'double_click', target: 'Double' }, 'twice'],
    [{ action: 'hover', target: 'Hover' }, 'over'],
    [{ action: 'drag', from: { css: '#card' }, to: { css: '#basket' } }, 'dropped card'],
    [{ action: 'select', target: 'Size', option: 'Large' }, 'size large'],
    [{ action: 'type', target: 'Day', text: '2031-02-03' }, 'day 2031-02-03'],
    [{ action: 'click', target: 'In the frame' }, 'inside'],
    [{ action: 'click', target: 'In the shadow' }, 'shadow'],
  ];
  for (const [step, title] of steps) {
    it(`can ${step.action}: ${title}`, async () => {
      await workshop();
      const { acted } = await session.act(step);
      assert.equal(acted.after.title, title);
    });
  }

  it('types into rich text and into frames, replacing what was there', async () => {
    await workshop();
    await session.act({ action: 'type', target: 'Note', text: 'new words' });
    await session.act({ action: 'type', target: 'Inner', text: 'deep' });
    const { acted } = await session.act({ action: 'extract', kind: 'text', target: { label: 'Note' }, as: 'note' });
    assert.equal(acted.data, 'new words');
  });

  it('does not click what the page puts under the pointer', async () => {
    await session.act({ action: 'navigate', url: `${site.url}/shifting` });
    assert.equal(await session.failureOf({ action: 'click', target: 'Pay' }), 'covered');
    const { acted } = await session.act({ action: 'screenshot' });
    assert.equal(acted.after.title, 'Shifting');
  });

  it('reads tables, records and attributes', async () => {
    await workshop();
    const read = async (step: Omit<Extract<Step, { action: 'extract' }>, 'action' | 'as'>) =>
      (await session.act({ action: 'extract', as: 'it', ...step })).acted.data;
    assert.deepEqual(await read({ kind: 'table', target: 'Prices' }), [
      { Name: 'Lamp', Price: '12' },
      { Name: 'Rope', Price: '3' },
    ]);
    const fields = {
      id: { attribute: 'data-id', type: 'number' },
      name: { css: 'b' },
      price: { css: 'i', type: 'number' },
    } as const;
    assert.deepEqual(await read({ kind: 'records', each: '.item', fields }), [
      { id: 7, name: 'Lamp', price: 1200.5 },
      { id: 8, name: 'Rope', price: 3 },
    ]);
  });

  it('scrolls elements into view, and scrolls the page', async () => {
    await workshop();
    const { acted } = await session.act({ action: 'scroll', target: { css: '#bottom' } });
    assert.ok(acted.bbox && acted.bbox.y >= 0 && acted.bbox.y < 720, JSON.stringify(acted.bbox));
    const back = await session.act({ action: 'scroll', delta_y: -100_000 });
    assert.equal(back.acted.state?.pages.at(-1)?.scroll_y, 0);
  });

  it('opens, shows and closes pages', async () => {
    await workshop();
    const opened = await session.act({ action: 'new_page', url: `${site.url}/popup` });
    assert.equal(opened.acted.after.title, 'Popup');
    const first = (await observed()).pages.find(({ title }) => title === 'Workshop');
    assert.ok(first && !first.is_front);
    const shown = await session.act({ action: 'focus_page', page: first.page });
    assert.equal(shown.acted.after.title, 'Workshop');
    const popup = (await observed()).pages.find(({ title }) => title === 'Popup');
    await session.act({ action: 'close_page', page: popup?.page });
    assert.equal((await observed()).pages.length, 1);
    assert.equal(await session.failureOf({ action: 'focus_page', page: 'p99' }), 'not_found');
  });

  it('answers a dialog, and does nothing else before', async () => {
    await workshop();
    const { acted } = await session.act({ action: 'click', target: 'Warn' });
    assert.deepEqual(acted.dialog, { kind: 'alert', message: 'Careful', default_value: '' });
    assert.equal(await session.failureOf({ action: 'click', target: 'Double' }), 'dialog_open');
    assert.equal((await observed()).dialog?.message, 'Careful');
    const warned = await session.act({ action: 'answer_dialog', accept: true });
    assert.equal(warned.acted.after.title, 'after');
    await session.act({ action: 'click', target: 'Sure' });
    assert.equal((await session.act({ action: 'answer_dialog', accept: false })).acted.after.title, 'unsure');
    await session.act({ action: 'click', target: { role: 'button', name: 'Name' } });
    const named = await session.act({ action: 'answer_dialog', accept: true, text: 'Anna' });
    assert.equal(named.acted.after.title, 'named Anna');
    assert.equal(await session.failureOf({ action: 'answer_dialog', accept: true }), 'not_found');
  });

  it('uploads a file that was put, into a field or through a chooser', async () => {
    await workshop();
    assert.equal(await session.failureOf({ action: 'upload', target: 'Report', file: 'r.txt' }), 'not_found');
    const late = await send('r.txt', 'not mine to bring', 0);
    assert.ok(!late.ok && late.failure === 'stale_epoch');
    assert.ok((await send('r.txt', 'the report', 1)).ok);
    // The page reads the file in its own time.
    const says = (title: string) => until(async () => (await observed()).title === title, 5000);
    await session.act({ action: 'upload', target: 'Report', file: 'r.txt' });
    await says('the report');
    await session.act({ action: 'upload', target: 'Choose a file', file: 'r.txt' });
    await says('chosen the report');
  });

  it('downloads a file, and returns it in pieces', async () => {
    await workshop();
    const { acted } = await session.act({ action: 'download', target: 'Numbers' });
    assert.deepEqual({ ...acted.file, file_id: '' }, { file_id: '', name: 'numbers.csv', byte_len: 8 });
    const { head, body } = await get(acted.file?.file_id ?? '');
    assert.ok(head.ok && head.byte_len === 8);
    assert.equal(Buffer.from(body).toString(), 'a,b\n1,2\n');
    assert.ok(!(await get('another')).head.ok);
    assert.equal(await session.failureOf({ action: 'download', target: 'Large' }), 'too_large');
  });

  it('returns the reply to a known command id, and does not perform the command again', async () => {
    await workshop();
    const commandId = newId();
    const { acted } = await session.act({ action: 'double_click', target: 'Double' }, { commandId });
    const { head } = await session.tell({ type: 'answer', command_id: commandId });
    assert.deepEqual(head, { ...acted });
    const unknown = await session.tell({ type: 'answer', command_id: newId() });
    assert.ok(!unknown.head.ok && unknown.head.failure === 'unknown_command');
  });

  it('names the command that was cut for a new driver', async () => {
    const commandId = newId();
    const waiting = session.failureOf({ action: 'wait', for: { text: 'Never said' } }, { commandId, epoch: 2 });
    await session.underWay();
    const { head } = await session.tell({ type: 'take', epoch: 3 });
    assert.deepEqual(head, { ok: true, type: 'taken', cut: commandId });
    assert.equal(await waiting, 'stale_epoch');
    const late = await session.tell({ type: 'take', epoch: 2 });
    assert.ok(!late.head.ok && late.head.failure === 'stale_epoch');
  });

  describe('a form that the site is slow to answer', () => {
    const order = async (epoch: number) => {
      site.asked.length = 0;
      await session.act({ action: 'navigate', url: `${site.url}/order` }, { epoch });
      return session.tryTo({ action: 'click', target: 'Send' }, { epoch });
    };
    const isSent = () => until(() => site.asked.includes('/slow'), 5000);

    it('is waited for', async () => {
      const { head } = await order(3);
      assert.ok(head.ok && head.type === 'acted');
      assert.equal(head.after.url, `${site.url}/slow`);
    });

    for (const [where, path, frame] of [
      ['of the site', '/asking', 'Near'],
      ['of another site', '/asking-far', 'Far'],
    ] as const) {
      it(`is waited for in a frame ${where}: the next look shows the answer`, async () => {
        await session.act({ action: 'navigate', url: `${site.url}${path}` }, { epoch: 3 });
        await session.act({ action: 'click', target: { name: 'Say it', frame } }, { epoch: 3 });
        const { head } = await session.tell({ type: 'observe', as: 'view' });
        assert.ok(head.ok && head.type === 'viewed', JSON.stringify(head));
        assert.match(head.view.text, /Said at last/);
        assert.doesNotMatch(head.view.text, /Say it/);
      });
    }

    it('is not reported as sent where a new driver stopped it', async () => {
      const sending = order(3);
      await isSent();
      assert.ok((await session.tell({ type: 'take', epoch: 4 })).head.ok);
      const { head } = await sending;
      assert.ok(!head.ok);
      assert.deepEqual([head.failure, head.has_touched], ['stale_epoch', true]);
    });

    it('is reported as sent by a host whose lease ran out meanwhile: its browser goes on', async () => {
      const sending = order(4);
      await isSent();
      host.setHeld(false);
      const { head } = await sending;
      host.setHeld(true);
      assert.ok(head.ok && head.type === 'acted');
      assert.equal(head.after.url, `${site.url}/slow`);
    });
  });

  it('reports that a page crashed, and opens it again when the session is opened again', async () => {
    const epoch = 4;
    await session.act({ action: 'navigate', url: `${site.url}/workshop` }, { epoch });
    const waiting = session.failureOf({ action: 'wait', for: { text: 'Never said' } }, { epoch });
    const begun = performance.now();
    for (const pid of await rendererPids(host.folder)) process.kill(pid, 'SIGKILL');
    assert.equal(await waiting, 'crashed');
    console.log(`renderer killed to answered: ${Math.round(performance.now() - begun)} ms`);
    assert.equal(await session.failureOf({ action: 'screenshot' }, { epoch }), 'crashed');
    assert.deepEqual(await session.open({ epoch: epoch + 1 }), { ok: true });
    const { acted } = await session.act({ action: 'double_click', target: 'Double' }, { epoch: epoch + 1 });
    assert.equal(acted.after.title, 'twice');
  });

  async function observed() {
    const { head } = await session.tell({ type: 'observe' });
    if (!head.ok || head.type !== 'observed') throw new Error(JSON.stringify(head));
    return head.observation;
  }

  const to = () => ({ host_id: 'h1', session_id: session.sessionId });
  async function send(name: string, text: string, epoch: number) {
    const head = { type: 'put', epoch, name, offset: 0 } as const;
    const result = await agent.request(fileCommand, to(), { head, body: Buffer.from(text) }, { timeoutMs: 5000 });
    assert.ok(result.ok);
    return result.reply.head;
  }
  async function get(file_id: string) {
    const head = { type: 'get', file_id, offset: 0 } as const;
    const result = await agent.request(fileCommand, to(), { head, body: new Uint8Array() }, { timeoutMs: 5000 });
    assert.ok(result.ok);
    return result.reply;
  }
});
