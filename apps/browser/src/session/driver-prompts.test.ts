import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { type PrivatePages, type PrivateSession, startPrivatePages } from '../../testing/private-pages.ts';
import { titleOf, viewOf, viewWhere } from '../../testing/views.ts';

const at = (x: number, y: number) => ({ action: 'click', x, y });
const box = (top: number) => `style="position:absolute;left:0;top:${top}px;width:200px;height:40px"`;
const list = `<select id="size" ${box(0)} onchange="document.title = 'chose ' + this.value + ' ' + (event.target === this)">
  <option>Small</option><optgroup label="Big"><option>Large</option><option disabled>Huge</option></optgroup>
  <option hidden>Secret</option><option>   Any   size </option></select>`;
const page = (title: string, body: string) => `<!doctype html><title>${title}</title><body style="margin:0">${body}`;

const pages = {
  one: page('One', `<a href="/two" target="_blank" ${box(0)}>two</a>`),
  two: page('Two', `<button ${box(0)} onclick="document.title = 'Two, later'">later</button>`),
  asks: page(
    'Asks',
    `<button ${box(0)} onclick="document.title = 'named ' + prompt('Who?', 'nobody')">ask</button>
     <button ${box(50)} onclick="document.title = confirm('x'.repeat(9000)) ? 'yes' : 'no'">sure</button>
     <button ${box(100)} onclick="for (let i = 0; i < 40; i++) alert(i); document.title = 'quiet'">loop</button>`,
  ),
  files: page('Files', `<input type="file" multiple accept=".csv, image/*" ${box(0)}><input type="file" ${box(50)}>`),
  list: page('List', list),
  frames: page(
    'Frames',
    `<iframe src="{there}/list" style="position:absolute;left:30px;top:100px;width:400px;height:200px;border:0"></iframe>
     <custom-box></custom-box><script>customElements.define('custom-box', class extends HTMLElement { constructor() {
       super(); this.attachShadow({ mode: 'open' }).innerHTML = '<select style="position:absolute;left:0;top:0;width:200px;height:40px"><option>in the shadow</option></select>' } })</script>`,
  ),
  many: page('Many', `<select ${box(0)}>${'<option>one of many</option>'.repeat(800)}</select>`),
  pickers: page(
    'Pickers',
    `<input type="date" min="2026-01-01" ${box(0)} onchange="document.title = 'day ' + this.value">
     <input type="color" ${box(50)} onchange="document.title = 'colour ' + this.value">`,
  ),
  copies: page('Copies', `<textarea ${box(0)}>first words</textarea>`),
  ownCopies: page(
    'Own copies',
    `<textarea ${box(0)}>first words</textarea><script>addEventListener('copy', (event) => {
       event.preventDefault(); event.clipboardData.setData('text/plain', 'é'.repeat(50_000)) })</script>`,
  ),
};

describe('what a person who drives is told', () => {
  let site: PrivatePages;
  before(async () => {
    site = await startPrivatePages(pages);
  });
  after(() => site?.close());

  const openFor = async (name: string) => {
    const session = await site.open(name);
    await session.take(2, true);
    return session;
  };
  const ok = (reply: Awaited<ReturnType<PrivateSession['hand']>>) => assert.ok(reply.head.ok, JSON.stringify(reply));
  const refused = (reply: Awaited<ReturnType<PrivateSession['hand']>>, failure: string) =>
    assert.equal(!reply.head.ok && reply.head.failure, failure);

  it('all open pages, which is in front, and titles that change; pages can be switched, closed and opened', async () => {
    await using session = await openFor('one');
    ok(await session.hand(2, at(10, 10)));
    await viewWhere(session, (view) => view.pages.length === 2 && titleOf(view) === 'Two');
    ok(await session.hand(2, at(10, 10)));
    // A page behind another may say its title a moment later.
    const both = await viewWhere(
      session,
      (view) => titleOf(view) === 'Two, later' && view.pages.every(({ title }) => title !== ''),
    );
    assert.deepEqual(
      both.pages.map(({ page, title, is_front }) => ({ page, title, is_front })),
      [
        { page: 'p1', title: 'One', is_front: false },
        { page: 'p2', title: 'Two, later', is_front: true },
      ],
    );
    assert.ok(both.pages.every((one) => one.private && one.private_reason === 'driven'));
    assert.equal(both.epoch, 2);
    ok(await session.hand(2, { action: 'focus', page: 'p1' }));
    await viewWhere(session, (view) => titleOf(view) === 'One');
    ok(await session.hand(2, { action: 'close_page', page: 'p2' }, { action: 'new_page' }));
    const last = await viewWhere(session, (view) => view.pages.at(-1)?.page === 'p3');
    assert.deepEqual(
      last.pages.map(({ page, is_front }) => [page, is_front]),
      [
        ['p1', false],
        ['p3', true],
      ],
    );
    // A page that was just opened may have no picture yet.
    await until(async () => (await session.tell({ type: 'look' })).head.ok, 15_000);
    const { head } = await session.tell({ type: 'look' });
    assert.ok(head.ok && head.type === 'seen', JSON.stringify(head));
    assert.deepEqual(head.view?.pages, last.pages);
    refused(await session.hand(1, { action: 'focus', page: 'p1' }), 'stale_epoch');
  });

  it('an open dialog, answered only by its id; its words are bounded', async () => {
    await using session = await openFor('asks');
    ok(await session.hand(2, at(10, 10)));
    const { driver } = await viewWhere(session, (view) => view.driver?.dialog);
    assert.deepEqual(
      [driver?.dialog?.kind, driver?.dialog?.message, driver?.dialog?.default_value, driver?.page],
      ['prompt', 'Who?', 'nobody', 'p1'],
    );
    const dialog_id = driver?.dialog?.dialog_id ?? '';
    assert.ok(Date.parse(driver?.dialog?.expires_at ?? '') > Date.now());
    refused(await session.hand(2, { action: 'answer_dialog', accept: true, dialog_id: 'd99' }), 'not_found');
    ok(await session.hand(2, { action: 'answer_dialog', accept: true, text: 'Ada', dialog_id }));
    const named = await viewWhere(session, (view) => titleOf(view) === 'named Ada');
    assert.equal(named.driver?.dialog, null);
    ok(await session.hand(2, at(10, 60)));
    const long = await viewWhere(session, (view) => view.driver?.dialog?.kind === 'confirm');
    assert.equal(long.driver?.dialog?.message.length, 2000);
    assert.notEqual(long.driver?.dialog?.dialog_id, dialog_id);
  });

  it('a dialog that is open when the person hands back is dismissed, and never holds up the next driver', async () => {
    await using session = await openFor('asks');
    ok(await session.hand(2, at(10, 60)));
    await viewWhere(session, (view) => view.driver?.dialog);
    assert.ok((await session.take(3, false)).head.ok);
    const after = await viewWhere(session, (view) => view.epoch === 3);
    assert.deepEqual([after.driver, after.copied], [null, null]);
    await viewWhere(session, (view) => titleOf(view) === 'no');
  });

  it('dialogs in a loop, in few versions of the view', async () => {
    await using session = await openFor('asks');
    const begun = performance.now();
    ok(await session.hand(2, at(10, 110)));
    const versions = new Set<string>();
    let view = await viewOf(session);
    const answers = (async () => {
      for (let i = 0; i < 40; i += 1) {
        await until(async () => (await session.hand(2, { action: 'answer_dialog', accept: true })).head.ok, 5000);
      }
    })();
    await until(async () => {
      versions.add(view.version);
      view = await viewOf(session, view.version, 1000);
      return titleOf(view) === 'quiet';
    }, 30_000);
    await answers;
    const mostVersions = (performance.now() - begun) / 100 + 5;
    assert.ok(versions.size <= mostVersions, `${versions.size} versions, at most ${Math.round(mostVersions)}`);
  });

  it('an open file chooser, answered with files or closed', async () => {
    await using session = await openFor('files');
    ok(await session.hand(2, at(20, 20)));
    const { driver } = await viewWhere(session, (view) => view.driver?.file_chooser?.accept.length);
    assert.deepEqual([driver?.file_chooser?.multiple, driver?.file_chooser?.accept], [true, ['.csv', 'image/*']]);
    const first = driver?.file_chooser?.chooser_id;
    ok(await session.hand(2, { action: 'choose_files', files: [], chooser_id: first }));
    await viewWhere(session, (view) => view.driver?.file_chooser === null);
    ok(await session.hand(2, at(20, 70)));
    const single = await viewWhere(session, (view) => view.driver?.file_chooser);
    assert.equal(single.driver?.file_chooser?.multiple, false);
    refused(await session.hand(2, { action: 'choose_files', files: [], chooser_id: first }), 'not_found');
    await session.take(3, false);
    assert.equal((await viewOf(session)).driver, null);
  });

  it('the options of an open list, of which one is chosen', async () => {
    await using session = await openFor('list');
    ok(await session.hand(2, at(20, 20)));
    const { driver } = await viewWhere(session, (view) => view.driver?.select);
    const select = driver?.select;
    assert.deepEqual(select?.box, { x: 0, y: 0, width: 200, height: 40 });
    const option = { group: null, disabled: false, selected: false };
    assert.deepEqual(select?.options, [
      { ...option, index: 0, text: 'Small', selected: true },
      { ...option, index: 1, text: 'Large', group: 'Big' },
      { ...option, index: 2, text: 'Huge', group: 'Big', disabled: true },
      { ...option, index: 4, text: 'Any size' },
    ]);
    const select_id = select?.select_id;
    refused(await session.hand(2, { action: 'choose_option', select_id, option: 2 }), 'unsupported');
    refused(await session.hand(2, { action: 'choose_option', select_id: 'f99', option: 1 }), 'not_found');
    ok(await session.hand(2, { action: 'choose_option', select_id, option: 1 }));
    const chosen = await viewWhere(session, (view) => titleOf(view) === 'chose Large true' && !view.driver?.select);
    assert.equal(chosen.driver?.select, null);
    refused(await session.hand(2, { action: 'choose_option', select_id, option: 0 }), 'not_found');
    ok(await session.hand(2, at(20, 20)));
    const again = await viewWhere(session, (view) => view.driver?.select);
    ok(await session.hand(2, { action: 'choose_option', select_id: again.driver?.select?.select_id, option: null }));
    await viewWhere(session, (view) => view.driver?.select === null);
    ok(await session.hand(2, at(20, 20), { action: 'key', key: 'Home' }, { action: 'key', key: 'Enter' }));
    await viewWhere(session, (view) => titleOf(view) === 'chose Small true' && view.driver?.select === null);
  });

  it('lists in a frame of another site and in an open shadow root, and of a list with many options the first 500', async () => {
    await using session = await openFor('frames');
    ok(await session.hand(2, at(50, 120)));
    const inFrame = await viewWhere(session, (view) => view.driver?.select);
    assert.deepEqual(inFrame.driver?.select?.box, { x: 30, y: 100, width: 200, height: 40 });
    const { select_id } = inFrame.driver?.select ?? {};
    ok(await session.hand(2, { action: 'choose_option', select_id, option: 1 }));
    await viewWhere(session, (view) => view.driver?.select === null);
    ok(await session.hand(2, at(50, 20)));
    const inShadow = await viewWhere(session, (view) => view.driver?.select);
    assert.deepEqual(
      inShadow.driver?.select?.options.map(({ text }) => text),
      ['in the shadow'],
    );
    await using many = await openFor('many');
    ok(await many.hand(2, at(20, 20)));
    const { driver } = await viewWhere(many, (view) => view.driver?.select);
    assert.deepEqual([driver?.select?.options.length, driver?.select?.truncated], [500, true]);
  });

  it('text that is copied in the page, also by a script of it, bounded', async () => {
    await using session = await openFor('copies');
    const control = (key: string) => ({ action: 'key', key, modifiers: ['Control'] });
    ok(await session.hand(2, at(10, 10), control('a'), control('c')));
    const { copied } = await viewWhere(session, (view) => view.copied);
    assert.deepEqual([copied?.text, copied?.truncated], ['first words', false]);
    await session.take(3, false);
    assert.equal((await viewOf(session)).copied, null);
    await using other = await openFor('ownCopies');
    ok(await other.hand(2, at(10, 10), control('a'), control('c')));
    const own = await viewWhere(other, (view) => view.copied?.truncated);
    assert.equal(Buffer.byteLength(own.copied?.text ?? ''), 64 * 1024);
  });

  it('inputs whose value is picked, and sets it', async () => {
    await using session = await openFor('pickers');
    ok(await session.hand(2, at(20, 20)));
    const { driver } = await viewWhere(session, (view) => view.driver?.picker);
    const { picker_id, type, min, value } = driver?.picker ?? {};
    assert.deepEqual({ type, min, value }, { type: 'date', min: '2026-01-01', value: '' });
    refused(await session.hand(2, { action: 'set_value', picker_id, value: 'tomorrow' }), 'unsupported');
    ok(await session.hand(2, { action: 'set_value', picker_id, value: '2026-11-17' }));
    const set = await viewWhere(session, (view) => titleOf(view) === 'day 2026-11-17');
    assert.equal((await viewWhere(session, (view) => view.driver?.picker?.value)).driver?.picker?.value, '2026-11-17');
    assert.equal(set.driver?.picker?.picker_id, picker_id);
    ok(await session.hand(2, at(20, 70)));
    const colour = await viewWhere(session, (view) => view.driver?.picker?.type === 'color');
    const chosen = { action: 'set_value', picker_id: colour.driver?.picker?.picker_id, value: '#0a6680' };
    ok(await session.hand(2, chosen));
    await viewWhere(session, (view) => titleOf(view) === 'colour #0a6680');
  });
});
