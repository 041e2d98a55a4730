// Secrets at a real host: where they are typed and where not, and that nothing that leaves the host shows them.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { TypedSecret } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { listen } from '../../../../testkit/listen.ts';
import { drive } from '../../testing/host.ts';
import { type OpenedSession, openSessionOnHost } from '../../testing/open-session.ts';

const value = 'Canary Lantern+42/é';
const other = 'Bronze Feather-77%ü';

/** Answers every request: what it got by a form or an address, in text, title, attributes and another field. */
const echo = (
  said: string,
) => `<!doctype html><title>You said ${said}</title><h1 style="font: 40px monospace">${said}</h1>
  <p style="font: 30px monospace">${[...said].map((sign) => `<b>${sign}</b>`).join('')}</p>
  <button aria-label="Forget ${said}">x</button><input name=mirror value="${said}" style="font: 30px monospace">
  <div id=late style="font: 30px monospace"></div><input id=set style="font: 30px monospace">
  <script>late.textContent = ${JSON.stringify(said)}; document.querySelector('#set').value = ${JSON.stringify(said)}</script>`;

// The caret blinks, and pictures are compared.
const form = `<!doctype html><title>Log in</title><style>* { caret-color: transparent }</style><form action=/echo>
  <label>User <input name=user></label><label>Password <input type=password name=q></label>
  <label>Token <input name=t></label><button>Log in</button></form>`;

describe('a secret', () => {
  let opened: OpenedSession;
  let site: Awaited<ReturnType<typeof listen>>;
  let elsewhere: Awaited<ReturnType<typeof listen>>;
  let session: OpenedSession['session'];
  /** Every address that a site was asked for. */
  const asked: string[] = [];

  const pages = (at: () => { here: string; there: string }): Record<string, string> => ({
    '/form': form,
    '/framed': `<title>x</title><iframe src="${at().here}/form" title=login width=600 height=200></iframe>`,
    '/around': `<title>x</title><iframe src="${at().there}/form" title=login width=600 height=200></iframe>`,
    '/srcdoc': `<title>x</title><iframe srcdoc='${form.replaceAll("'", '')}' title=login width=600 height=200></iframe>`,
    '/sandbox': `<title>x</title><iframe sandbox="allow-forms allow-scripts" src="/form" title=login width=600 height=200></iframe>`,
    '/blob': `<title>x</title><script>location = URL.createObjectURL(new Blob([${JSON.stringify(form)}], { type: 'text/html' }))</script>`,
    '/leave': `<title>x</title><meta http-equiv=refresh content="0; url=${at().there}/form">`,
  });

  before(async () => {
    const serve = () =>
      createServer((request, response) => {
        const url = new URL(request.url ?? '/', 'http://any');
        asked.push(`${request.headers.host}${request.url}`);
        const html = pages(() => ({ here: site.url, there: elsewhere.url }))[url.pathname];
        response
          .setHeader('content-type', 'text/html; charset=utf-8')
          .end(html ?? echo(url.searchParams.get('q') || url.searchParams.get('t') || ''));
      });
    [site, elsewhere] = await Promise.all([listen(serve()), listen(serve())]);
    opened = await openSessionOnHost();
    session = opened.session;
  });
  after(async () => {
    await opened?.close();
    await site?.close();
    await elsewhere?.close();
  });

  const secretOf = (origins: string[], typed = value): TypedSecret => ({
    name: 'github',
    value: typed,
    origins,
    is_code: false,
  });
  const typing = (target: Extract<Step, { action: 'type' }>['target'] = 'Password'): Step => ({
    action: 'type',
    target,
    text: '{{secret:github}}',
  });
  const open = (path: string) => session.act({ action: 'navigate', url: `${site.url}${path}` });

  /** Everything that the host says of the page, as one text. */
  async function saidOf(one = session): Promise<string> {
    const seen = await one.tell({ type: 'observe', as: 'view' });
    const outline = await one.tell({ type: 'observe', bring: ['text'] });
    const look = await one.tell({ type: 'look' });
    const { acted } = await one.act({ action: 'extract', kind: 'text', as: 'x' });
    const attributes = await one.act({ action: 'extract', kind: 'attributes', target: { css: 'button' }, as: 'x' });
    return JSON.stringify(
      [seen.head, outline.head, look.head, acted, attributes.acted].map((head) => ({ ...head, state: null })),
    );
  }
  const leaks = (text: string, typed = value) =>
    [typed, encodeURIComponent(typed), String(new URLSearchParams({ q: typed })).slice(2), typed.slice(0, 12)].filter(
      (form) => text.toLowerCase().includes(form.toLowerCase()),
    );

  it('is typed at its origin, and no answer, title, address or text repeats it', async () => {
    await open('/form');
    const { acted } = await session.act(typing(), { secret: secretOf([site.url]) });
    assert.deepEqual(leaks(JSON.stringify({ ...acted, state: null })), []);
    assert.deepEqual(leaks(await saidOf()), []);
    const sent = await session.act({ action: 'click', target: 'Log in' });
    assert.ok(asked.some((path) => path.includes('/echo') && path.includes(String(new URLSearchParams({ q: value })))));
    assert.deepEqual(leaks(JSON.stringify({ ...sent.acted, state: null })), []);
    assert.ok(sent.acted.after.title.includes('••••'), sent.acted.after.title);
    const said = await saidOf();
    assert.deepEqual(leaks(said), []);
    assert.ok(said.includes('••••'));
  });

  it('is drawn as dots wherever the page shows it: two secrets of one length give the same picture', async () => {
    const pictures: Buffer[] = [];
    for (const typed of [value, other]) {
      await open('/form');
      await session.act(typing('Token'), { secret: secretOf([site.url], typed) });
      const { image: filled } = await session.act({ action: 'screenshot' });
      await session.act({ action: 'press', key: 'Enter', target: 'Token' });
      await session.act({ action: 'hover', target: { css: 'h1' } });
      await session.act({ action: 'wait', for: { secs: 0.6 } });
      const { image, acted } = await session.act({ action: 'screenshot' });
      assert.equal(acted.picture?.private, false);
      pictures.push(Buffer.concat([filled, image]));
    }
    assert.ok(pictures[0]?.equals(pictures[1] ?? Buffer.alloc(0)), 'the picture depends on the value');
    // What no secret is known of is drawn as it is.
    const plain = drive(opened.agent, 'h1');
    await plain.open();
    const shown = async (said: string) =>
      (await plain.act({ action: 'navigate', url: `${site.url}/echo?t=${encodeURIComponent(said)}` })).image;
    assert.ok(!Buffer.from(await shown(value)).equals(Buffer.from(await shown(other))));
    await plain.closeSession();
  });

  it('is redacted from the start by a host that opens the session again', async () => {
    const again = drive(opened.agent, 'h1');
    await again.open({ secrets: [value] });
    const { acted } = await again.act({ action: 'navigate', url: `${site.url}/echo?q=${encodeURIComponent(value)}` });
    assert.deepEqual(leaks(JSON.stringify({ ...acted, state: null })), []);
    assert.deepEqual(leaks(await saidOf(again)), []);
    await again.closeSession();
  });

  const frame = () => ({ label: 'Password', frame: new URL(site.url).host });
  const refused: [
    string,
    () => { path: string; target?: ReturnType<typeof frame>; origins: string[]; frame?: string },
  ][] = [
    ['another port', () => ({ path: '/form', origins: [elsewhere.url] })],
    ['https instead of http', () => ({ path: '/form', origins: [site.url.replace('http:', 'https:')] })],
    ['a subdomain', () => ({ path: '/form', origins: [site.url.replace('127.0.0.1', 'a.localhost')] })],
    [
      'a name that looks alike',
      () => ({ path: '/form', origins: [site.url.replace('127.0.0.1', 'xn--lcalhost-f7a.localhost')] }),
    ],
    ['the page after a redirect', () => ({ path: '/leave', origins: [site.url] })],
    ['a frame of another origin', () => ({ path: '/around', origins: [site.url], frame: elsewhere.url })],
    [
      'a frame in a page of another origin',
      () => ({ path: '/around', origins: [elsewhere.url], frame: elsewhere.url }),
    ],
    ['a document in an attribute', () => ({ path: '/srcdoc', origins: [site.url], frame: 'login' })],
    ['a sandboxed frame', () => ({ path: '/sandbox', origins: [site.url], frame: 'login' })],
    ['a blob', () => ({ path: '/blob', origins: [site.url] })],
  ];
  for (const [what, given] of refused)
    it(`is not typed for ${what}`, async () => {
      const { path, origins, frame: inFrame } = given();
      await open(path);
      if (path === '/leave')
        await session.act({ action: 'wait', for: { url: `${elsewhere.url}/form` }, timeout_secs: 5 });
      if (path === '/blob') await session.act({ action: 'wait', for: { text: 'Password' }, timeout_secs: 5 });
      const target = inFrame === undefined ? 'Password' : { css: '[name=t]', frame: inFrame };
      const { head } = await session.tryTo(typing(target), { secret: secretOf(origins) });
      assert.ok(!head.ok, 'it was typed');
      assert.equal(head.failure, 'wrong_origin', head.message);
      assert.equal(head.has_touched, false, head.message);
      assert.match(head.message, /the secret github is only for http/);
      assert.deepEqual(leaks(JSON.stringify(head)), []);
    });

  it('is typed in a frame of its own origin, where all documents around it are of its origins', async () => {
    await open('/around');
    const target = { css: '[name=t]', frame: elsewhere.url };
    await session.act(typing(target), { secret: secretOf([site.url, elsewhere.url]) });
  });

  it('is not typed where no value came with the command, and its name is not typed either', async () => {
    await open('/form');
    const { failure } = await session.refusalOf(typing());
    assert.equal(failure, 'unsupported');
  });
});
