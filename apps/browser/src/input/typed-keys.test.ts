import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { type PrivatePages, type PrivateSession, startPrivatePages } from '../../testing/private-pages.ts';

const place = { x: 200, y: 150 };
const at = 'style="position: absolute; left: 20px; top: 120px; width: 400px; height: 60px"';
const page = (name: string, html: string) =>
  `<!doctype html><title>${name}</title>${html}<button style="position: absolute; top: 300px">Rest</button>`;
const listens = `<script>addEventListener('keydown', ({ key }) => { document.title += key; location.hash += key })</script>`;
const pages: Record<string, string> = {
  canvas: page('canvas', `<canvas tabindex=0 ${at}></canvas>${listens}`),
  keys: page('keys', `<div ${at}></div>${listens}`),
  closed: page(
    'closed',
    `<x-a></x-a><script>document.querySelector('x-a').attachShadow({ mode: 'closed' }).innerHTML = '<input ${at}>'</script>`,
  ),
  transparent: page('transparent', `<textarea ${at.replace('left', 'opacity: 0; left')}></textarea>`),
  uncoloured: page('uncoloured', `<textarea ${at.replace('left', 'color: transparent; left')}></textarea>`),
  framed: page('framed', `<iframe src="{there}/inner" ${at.replace('120px', '0').replace('60px', '260px')}></iframe>`),
  inner: `<!doctype html><canvas tabindex=0 ${at}></canvas>`,
  field: page('field', `<input aria-label=Field ${at}>`),
  select: page('select', `<select ${at}><option>one<option>two</select>`),
  rewritten: page(
    'rewritten',
    `<script>addEventListener('load', () => setTimeout(() => { document.open(); document.write('<title>written again</title><input aria-label=Field ${at}>'); setTimeout(() => { document.title = 'later' }, 600) }))</script>`,
  ),
  // A page that does to itself everything that looks like typing.
  pretends: page(
    'pretends',
    `<x-a></x-a><script>const root = document.querySelector('x-a').attachShadow({ mode: 'closed' });
     root.innerHTML = '<input ${at}>';
     setInterval(() => { root.querySelector('input').focus(); document.execCommand('insertText', false, 'x');
       document.body.dispatchEvent(new ClipboardEvent('paste', { bubbles: true }));
       document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true })) }, 50)</script>`,
  ),
  next: page('next', ''),
};
const letters = [...'sesame'].map((key) => ({ action: 'key', key }));
const text = { action: 'type', text: 'sesame' };
const click = { action: 'click', ...place };

describe('keys of a person', () => {
  let site: PrivatePages;
  before(async () => {
    site = await startPrivatePages(pages);
  });
  after(() => site?.close());

  async function typedInto(name: string, ...inputs: object[]): Promise<PrivateSession> {
    const session = await site.open(name);
    // Our script listens again a moment after a page has rewritten its document; text before that hides the page. The
    // page's own timer comes after that of our script, however busy the page is.
    if (name === 'rewritten') await until(() => session.frames.at(-1)?.header.title === 'later', 5000);
    await session.take(2, true);
    await session.hand(2, click, ...inputs);
    await session.take(3, false);
    return session;
  }

  const unknown: [name: string, inputs: object[]][] = [
    ['canvas', letters],
    ['keys', letters],
    ['closed', [text]],
    ['closed', letters],
    ['closed', [{ action: 'compose', text: 'sesame' }, text]],
    ['transparent', [text]],
    ['uncoloured', [text]],
    ['framed', letters],
    ['canvas', [{ action: 'paste', text: 'sesame' }]],
  ];
  for (const [name, inputs] of unknown) {
    const how = String((inputs[0] as { action: string }).action);
    it(`hide the page until its next document where no dots cover them: ${name}, ${how}`, async () => {
      await using session = await typedInto(name, ...inputs);
      const { acted } = await session.act({ action: 'click', target: 'Rest' }, { epoch: 3 });
      assert.deepEqual([acted.picture?.private, acted.picture?.private_reason], [true, 'unknown_keys']);
      assert.deepEqual(acted.after, { url: `${site.url}/`, title: '' });
      assert.deepEqual([acted.picture?.route.url, acted.picture?.route.title], [`${site.url}/`, '']);
      const { head } = await session.tell({ type: 'observe' });
      assert.ok(head.ok && head.type === 'observed' && head.observation.title === '');
      // The agent goes on, and every viewer may see the next document.
      const shown = await session.act({ action: 'navigate', url: `${site.url}/next` }, { epoch: 3 });
      assert.deepEqual(shown.acted.before, { url: `${site.url}/`, title: '' });
      await until(async () => !(await session.look()).private, 3000);
      const shownToAll = () => session.frames.filter(({ header }) => header.epoch === 3 && !header.private);
      await until(() => shownToAll().some(({ header }) => header.url), 3000);
      const of = shownToAll();
      // A document that has only just come may have no address yet.
      const urls = new Set(of.flatMap(({ header }) => header.url || []));
      assert.deepEqual([...urls], [`${site.url}/next`]);
      assert.ok(!JSON.stringify(of.map(({ header }) => header.title)).includes('sesame'));
    });
  }

  const known: [name: string, inputs: object[]][] = [
    ['field', [text]],
    ['field', letters],
    ['select', ['t', 'Enter'].map((key) => ({ action: 'key', key }))],
    ['rewritten', [text]],
    ['canvas', ['ArrowLeft', 'Enter', 'Escape', 'F2', ' ', 'Tab'].map((key) => ({ action: 'key', key }))],
    ['canvas', [{ action: 'key', key: 'a', modifiers: ['Control'] }]],
  ];
  for (const [name, inputs] of known) {
    const [first] = inputs as { action: string; key?: string }[];
    it(`hide nothing where dots cover them, or they type nothing: ${name}, ${first?.key ?? first?.action}`, async () => {
      await using session = await typedInto(name, ...inputs);
      await until(async () => !(await session.look()).private, 3000);
    });
  }

  it('are not what a page does to itself while a person drives it', async () => {
    await using session = await typedInto('pretends');
    await until(async () => !(await session.look()).private, 3000);
  });

  it('are not an agent’s: an agent that types into the same page hides nothing', async () => {
    await using session = await site.open('canvas');
    await session.act({ action: 'press', key: 'a' });
    assert.equal((await session.look()).private, false);
  });
});
