import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type PrivatePages, type PrivateSession, startPrivatePages } from '../../testing/private-pages.ts';
import { titleOf, viewOf, viewWhere } from '../../testing/views.ts';

const at = (x: number, y: number) => ({ action: 'click', x, y });
const box = (top: number) => `style="position:absolute;left:0;top:${top}px;width:200px;height:40px"`;
const page = (title: string, body: string) => `<!doctype html><title>${title}</title><body style="margin:0">${body}`;
const answerMs = 1500;

const pages = {
  asks: page('Asks', `<button ${box(0)} onclick="document.title = confirm('sure?') ? 'yes' : 'no'">ask</button>`),
  stays: page(
    'Stays',
    `<button ${box(0)}>touch</button><a href="/asks" ${box(50)}>leave</a>
     <script>addEventListener('beforeunload', (event) => event.preventDefault())</script>`,
  ),
  files: page(
    'Files',
    `<input type="file" multiple ${box(0)} onchange="Promise.all([...this.files].map((file) => file.text())).then((texts) => {
       document.title = [...this.files].map(({ name }) => name) + ' ' + texts })">
     <input type="file" ${box(50)}>`,
  ),
  copies: page(
    'Copies',
    `<button ${box(0)} onclick="document.execCommand('copy')">copy</button>
     <button ${box(50)} onclick="const area = document.body.appendChild(document.createElement('textarea'));
       area.value = 'from a field'; area.select(); document.execCommand('copy'); area.remove()">field</button>
     <button ${box(100)} onclick="isNothing = true; document.execCommand('copy'); document.title = 'copied nothing'">none</button>
     <script>let isNothing = false; document.addEventListener('copy', (event) => {
       if (isNothing || getSelection().toString() || document.activeElement.value) return;
       event.preventDefault(); event.clipboardData.setData('text/plain', 'from a script') })</script>`,
  ),
  list: page(
    'List',
    `<select ${box(0)}><optgroup label="${'g'.repeat(200)}">${`<option>${'o'.repeat(200)}</option>`.repeat(500)}</select>`,
  ),
};

describe('what a page asks of a person who drives', () => {
  let site: PrivatePages;
  before(async () => {
    site = await startPrivatePages(pages, { dialogAnswerMs: answerMs });
  });
  after(() => site?.close());
  const openFor = async (name: string) => {
    const session = await site.open(name);
    await session.take(2, true);
    return session;
  };
  const ok = (reply: Awaited<ReturnType<PrivateSession['hand']>>) => assert.ok(reply.head.ok, JSON.stringify(reply));

  it('is dismissed when it is not answered in time', async () => {
    await using session = await openFor('asks');
    ok(await session.hand(2, at(10, 10)));
    await viewWhere(session, (view) => view.driver?.dialog);
    const after = await viewWhere(session, (view) => titleOf(view) === 'no');
    assert.equal(after.driver?.dialog, null);
  });

  it('has an id that no other browser gives', async () => {
    await using one = await openFor('asks');
    await using other = await openFor('asks');
    const ids = await Promise.all(
      [one, other].map(async (session) => {
        ok(await session.hand(2, at(10, 10)));
        return (await viewWhere(session, (view) => view.driver?.dialog)).driver?.dialog?.dialog_id;
      }),
    );
    assert.notEqual(ids[0], ids[1]);
  });

  it('may be whether to leave it', async () => {
    await using session = await openFor('stays');
    ok(await session.hand(2, at(10, 10), at(10, 60)));
    const { driver } = await viewWhere(session, (view) => view.driver?.dialog);
    assert.equal(driver?.dialog?.kind, 'beforeunload');
    ok(await session.hand(2, { action: 'answer_dialog', accept: true, dialog_id: driver?.dialog?.dialog_id }));
    await viewWhere(session, (view) => titleOf(view) === 'Asks');
  });

  it('may be files, which only the chooser of the given id gets', async () => {
    await using session = await openFor('files');
    await session.putFile(2, 'one.txt', 'first');
    await session.putFile(2, 'two.txt', 'second');
    ok(await session.hand(2, at(20, 70)));
    const single = await viewWhere(session, (view) => view.driver?.file_chooser);
    const other = single.driver?.file_chooser?.chooser_id;
    const files = ['one.txt', 'two.txt'];
    const tooMany = await session.hand(2, { action: 'choose_files', files, chooser_id: other });
    assert.equal(!tooMany.head.ok && tooMany.head.failure, 'unsupported');
    ok(await session.hand(2, { action: 'choose_files', files: [], chooser_id: other }));
    ok(await session.hand(2, at(20, 20)));
    const { driver } = await viewWhere(session, (view) => view.driver?.file_chooser?.multiple);
    const late = await session.hand(2, { action: 'choose_files', files, chooser_id: other });
    assert.equal(!late.head.ok && late.head.failure, 'not_found');
    ok(await session.hand(2, { action: 'choose_files', files, chooser_id: driver?.file_chooser?.chooser_id }));
    const chosen = await viewWhere(session, (view) => titleOf(view) === 'one.txt,two.txt first,second');
    assert.equal(chosen.driver?.file_chooser, null);
  });

  it('is told of text that a button copies, with nothing selected and out of a field', async () => {
    await using session = await openFor('copies');
    ok(await session.hand(2, at(10, 10)));
    const { copied } = await viewWhere(session, (view) => view.copied);
    assert.equal(copied?.text, 'from a script');
    ok(await session.hand(2, at(10, 60)));
    await viewWhere(session, (view) => view.copied?.text === 'from a field');
    ok(await session.hand(2, at(10, 110)));
    await viewWhere(session, (view) => titleOf(view) === 'copied nothing');
    assert.notEqual((await viewOf(session)).copied?.text, '');
  });

  it('is bounded, also where each option of a list is as long as it may be', async () => {
    await using session = await openFor('list');
    ok(await session.hand(2, at(20, 20)));
    const { driver } = await viewWhere(session, (view) => view.driver?.select);
    assert.equal(driver?.select?.truncated, true);
    assert.ok(driver?.select?.options.length);
    assert.ok(JSON.stringify(driver).length < 128 * 1024);
  });
});
