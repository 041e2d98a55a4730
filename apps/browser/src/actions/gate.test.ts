import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { AskedAct, Gate, GateVerdict } from '@pilothouse/bus';
import type { PolicyRules, Step } from '@pilothouse/contract';
import { listen } from '../../../../testkit/listen.ts';
import { type OpenedSession, openSessionOnHost } from '../../testing/open-session.ts';
import { amountsIn } from './amounts.ts';

const html = `<!doctype html><title>Shop</title><body>
<form action="/order" method=post onsubmit="document.title += ' sent'; return false">
  <p>Total <b id=price>€ 20.00</b></p><label>Note <input name=note></label>
  <label>Card number <input name=card></label><button>Go on</button></form>
<form action="/find" onsubmit="document.title += ' found'; return false"><label>Search <input name=q></label><button>Find</button></form>
<form action="/message" method=post onsubmit="document.title += ' told'; return false"><label>Text <input name=t></label><button>Send message</button></form>
<form action="https://elsewhere.example/x" method=post onsubmit="return false"><button>Keep</button></form>
<form action="https://elsewhere.example/x" onsubmit="document.title += ' asked elsewhere'; return false"><label>Elsewhere <input name=q></label><button>Look there</button></form>
<button id=buy onclick="document.title += ' bought'">Buy now</button>
<button onclick="document.title += ' shown'">Show more</button>
<button onmouseenter="document.getElementById('price').textContent = '€ 90.00'; this.dataset.seen = 1" id=sly onclick="document.title += ' sly'">Buy this</button>
<div role=dialog aria-label=Sure><p>Delete 3 files?</p><button onclick="document.title += ' deleted'">OK</button></div>
<span role=button tabindex=0 onclick="document.title += ' outer'" id=outer><i id=inner>Pay now</i></span>
<div id=card onclick="document.title += ' card'" style="width: 200px; padding: 8px"><button style="width: 100%">Order now</button></div>
<label><input type=checkbox onchange="document.title += ' checked'"> Newsletter</label>
<div draggable=false id=file style="width: 60px">File</div><div id=bin role=button aria-label="Delete" style="width: 60px; height: 30px">bin</div>
<label>Photo <input type=file></label><label>Password <input type=password></label>
<a href="/next">Next page</a> <a href="https://denied.example/">A partner</a> <a download href="/file">The file</a>
<button onclick="document.title += confirm('Delete the account?') ? ' gone' : ' kept'">Leave</button>`;

/** More frames than are looked into. The button gives the focus to the last of them. */
const manyFrames = `<!doctype html><title>Frames</title>
<button onclick="document.title += ' pressed'; frames[60].document.querySelector('input').focus()">Go on</button>
${'<iframe srcdoc="<input>" style="width:20px;height:20px"></iframe>'.repeat(61)}`;

const rules = (more: Partial<PolicyRules> = {}): PolicyRules => ({
  mode: 'standard',
  allow: [],
  deny: [],
  read_only: [],
  watch: [],
  ...more,
});
const gate = (more: Partial<Gate> = {}): Gate => ({
  rules: rules(),
  is_given: false,
  grants: [],
  is_watched: false,
  ...more,
});
type Judged = { failure: string; touched: boolean; verdict: GateVerdict; asked?: AskedAct };

describe('an act that rules hold for', () => {
  let opened: OpenedSession;
  let site: Awaited<ReturnType<typeof listen>>;
  let session: OpenedSession['session'];
  before(async () => {
    site = await listen(
      createServer(({ url }, response) =>
        response.setHeader('content-type', 'text/html; charset=utf-8').end(url === '/frames' ? manyFrames : html),
      ),
    );
    opened = await openSessionOnHost();
    session = opened.session;
  });
  after(async () => {
    await opened?.close();
    await site?.close();
  });

  const open = () => session.act({ action: 'navigate', url: `${site.url}/shop` });
  const titleNow = async () => (await session.act({ action: 'screenshot' }, { bring: [] })).acted.after.title;
  const originNow = () => new URL(site.url).origin;

  /** What the host says of the step: undefined where it is done. */
  async function judged(step: Step, given: Partial<Gate> = {}): Promise<Judged | undefined> {
    const { head } = await session.tryTo(step, { gate: gate(given), bring: [] });
    if (head.ok) return undefined;
    assert.ok(head.verdict, JSON.stringify(head));
    return { failure: head.failure, touched: head.has_touched, verdict: head.verdict, asked: head.asked };
  }
  const click = (target: string): Step => ({ action: 'click', target });

  const table: [what: string, step: Step, given: Partial<Gate>, failure: string | undefined, of: string][] = [
    ['words that commit', click('Buy now'), {}, 'needs_yes', 'commit'],
    ['a form with a card', click('Go on'), {}, 'needs_yes', 'commit'],
    ['Enter in its field', { action: 'press', key: 'Enter', target: 'Note' }, {}, 'needs_yes', 'commit'],
    ['Enter in a form that sends', { action: 'press', key: 'Enter', target: 'Text' }, {}, 'needs_yes', 'commit'],
    ['Enter in a search', { action: 'press', key: 'Enter', target: 'Search' }, {}, undefined, 'move'],
    ['a search of another site', click('Look there'), {}, undefined, 'submit'],
    ['one with words that no person gave', click('Look there'), { is_unsaid: true }, 'needs_yes', 'submit'],
    ['one after a no', click('Look there'), { is_after_no: true }, 'needs_yes', 'submit'],
    ['a search of this site after a no', click('Find'), { is_after_no: true }, undefined, 'move'],
    ['a harmless control', click('Show more'), {}, undefined, 'write'],
    ['yes to a dialog of the page', click('OK'), {}, 'needs_yes', 'commit'],
    ['the inside of a control', { action: 'click', target: { css: '#inner' } }, {}, 'needs_yes', 'commit'],
    ['what a control is inside of', { action: 'click', target: { css: '#card' } }, {}, 'needs_yes', 'commit'],
    ['a box', { action: 'check', target: 'Newsletter', checked: true }, {}, undefined, 'write'],
    ['a drop', { action: 'drag', from: { css: '#file' }, to: { css: '#bin' } }, {}, 'needs_yes', 'commit'],
    ['a text', { action: 'type', target: 'Note', text: 'x' }, {}, undefined, 'write'],
    [
      'a secret',
      { action: 'type', target: 'Password', text: 'x' },
      { rules: rules({ mode: 'careful' }) },
      'needs_yes',
      'credential',
    ],
    [
      'a download',
      { action: 'download', target: 'The file' },
      { rules: rules({ mode: 'careful' }) },
      'needs_yes',
      'download',
    ],
    ['a link', click('Next page'), {}, undefined, 'move'],
    [
      'a link to a host that is refused',
      click('A partner'),
      { rules: rules({ deny: ['denied.example'] }) },
      'refused',
      'move',
    ],
    ['a form that goes to one', click('Keep'), { rules: rules({ deny: ['elsewhere.example'] }) }, 'refused', 'submit'],
    [
      'a change where one may only read',
      click('Show more'),
      { rules: rules({ read_only: ['127.0.0.1'] }) },
      'refused',
      'write',
    ],
    [
      'a look where one may only read',
      { action: 'screenshot' },
      { rules: rules({ read_only: ['127.0.0.1'] }) },
      undefined,
      'read',
    ],
    [
      'a look where one may do nothing',
      { action: 'screenshot' },
      { rules: rules({ deny: ['127.0.0.1'] }) },
      'refused',
      'read',
    ],
    [
      'an address that is refused',
      { action: 'navigate', url: 'http://denied.example/' },
      { rules: rules({ deny: ['denied.example'] }) },
      'refused',
      'move',
    ],
    [
      'an address that nobody named',
      { action: 'navigate', url: 'http://new.example/' },
      { known_origins: [] },
      'needs_yes',
      'reach',
    ],
    ['a line that a person wrote', click('Buy now'), { is_given: true }, undefined, 'commit'],
    [
      'the same where one is careful',
      click('Buy now'),
      { is_given: true, rules: rules({ mode: 'careful' }) },
      'needs_yes',
      'commit',
    ],
    ['a free task', click('Buy now'), { rules: rules({ mode: 'free' }) }, undefined, 'commit'],
    [
      'a write that nobody watches',
      click('Show more'),
      { rules: rules({ watch: ['127.0.0.1'] }) },
      'needs_watcher',
      'write',
    ],
    [
      'one that a person watches',
      click('Show more'),
      { rules: rules({ watch: ['127.0.0.1'] }), is_watched: true },
      undefined,
      'write',
    ],
  ];
  for (const [what, step, given, failure, of] of table)
    it(`${failure ?? 'is done'} (${of}): ${what}`, async () => {
      await open();
      const { head } = await session.tryTo(step, { gate: gate(given), bring: [] });
      assert.equal(head.ok ? undefined : head.failure, failure, JSON.stringify(head));
      if (!head.ok) assert.equal(head.has_touched, false);
      const verdict = !head.ok || head.type === 'acted' ? head.verdict : undefined;
      assert.equal(verdict?.class, of);
      if (failure) assert.equal(await titleNow(), 'Shop');
    });

  it('says what a person has to agree to, and does exactly that', async () => {
    await open();
    const first = await judged(click('Go on'));
    assert.ok(first?.asked);
    const { fingerprint, bbox, ...told } = first.asked;
    assert.ok(bbox && bbox.width > 0);
    assert.deepEqual(told, {
      site: originNow(),
      role: 'button',
      name: 'Go on',
      value: null,
      page: `${site.url}/shop`,
      frame_origin: null,
      form_action: `${site.url}/order`,
      amounts: ['€ 20.00'],
    });
    assert.equal(await judged(click('Go on'), { yes: fingerprint }), undefined);
    assert.equal(await titleNow(), 'Shop sent');
  });

  it('asks again where an amount around it is another by then', async () => {
    await open();
    const yes = (await judged(click('Go on')))?.asked?.fingerprint;
    // What a field of the form holds belongs to the act.
    await session.act({ action: 'type', target: 'Note', text: '25,00 €' });
    const again = await judged(click('Go on'), { yes });
    assert.equal(again?.failure, 'needs_yes');
    assert.deepEqual(again.asked?.amounts, ['€ 20.00', '25,00 €']);
    assert.equal(await titleNow(), 'Shop');
    // And a yes to one control is none to another.
    assert.equal((await judged(click('Buy now'), { yes: again.asked?.fingerprint }))?.failure, 'needs_yes');
  });

  it('a page that changes the price under the pointer gets no click', async () => {
    await open();
    await session.act({ action: 'type', target: 'Note', text: '' });
    const asked = await judged(click('Buy this'));
    const done = await judged(click('Buy this'), { yes: asked?.asked?.fingerprint });
    assert.equal(done?.failure, 'needs_yes');
    assert.equal(await titleNow(), 'Shop');
  });

  it('does a class that was granted on this site, and on no other', async () => {
    await open();
    const granted = (origin: string) => ({ grants: [{ class: 'commit' as const, origin }] });
    assert.equal((await judged(click('Buy now'), granted('https://other.example')))?.failure, 'needs_yes');
    assert.equal(await judged(click('Buy now'), granted(originNow())), undefined);
    assert.equal(await titleNow(), 'Shop bought');
  });

  it('a key without a target is judged by what has the focus', async () => {
    await open();
    await session.act({ action: 'type', target: 'Text', text: 'hello' });
    const enter: Step = { action: 'press', key: 'Enter' };
    const asked = await judged(enter);
    assert.deepEqual([asked?.failure, asked?.verdict.class, asked?.asked?.name], ['needs_yes', 'commit', 'Text']);
    assert.equal(await judged({ action: 'press', key: 'a' }), undefined);
    const now = await judged(enter);
    assert.equal(await judged(enter, { yes: now?.asked?.fingerprint }), undefined);
    assert.match(await titleNow(), /told$/);
  });

  it('a key is not pressed where the frame with the focus does not say what is there', async () => {
    await session.act({ action: 'navigate', url: `${site.url}/frames` });
    assert.equal(await judged(click('Go on')), undefined);
    const { head } = await session.tryTo({ action: 'press', key: 'Enter' }, { gate: gate(), bring: [] });
    assert.ok(!head.ok);
    assert.deepEqual([head.failure, head.has_touched], ['focus_taken', false]);
    assert.equal(await titleNow(), 'Frames pressed', 'once, by the click');
  });

  it('a dialog of the browser is judged by its words', async () => {
    await open();
    await session.act(click('Leave'), { bring: [] });
    const accept: Step = { action: 'answer_dialog', accept: true };
    const asked = await judged(accept);
    assert.deepEqual([asked?.failure, asked?.asked?.name], ['needs_yes', 'Delete the account?']);
    assert.equal(await judged(accept, { yes: asked?.asked?.fingerprint }), undefined);
    assert.match(await titleNow(), /gone$/);
  });

  it('what is typed into a field for secrets is not told', async () => {
    await open();
    const typed: Step = { action: 'type', target: 'Password', text: 'geheim' };
    const asked = await judged(typed, { rules: rules({ mode: 'careful' }) });
    assert.equal(asked?.asked?.value, null);
    assert.doesNotMatch(JSON.stringify(asked), /geheim/);
  });

  it('a click costs little more with rules than without', async () => {
    await open();
    const timed = async (given?: Gate) => {
      const times: number[] = [];
      for (let count = 0; count < 15; count += 1) {
        const { acted } = await session.act(click('Show more'), { bring: [], gate: given });
        times.push(acted.run_ms);
      }
      return times.sort((one, other) => one - other)[7] ?? 0;
    };
    const [without, withRules] = [await timed(), await timed(gate())];
    console.log(`a click takes ${without} ms without rules and ${withRules} ms with them (median of 15)`);
    assert.ok(withRules - without < 40, `${withRules} ms, not ${without} ms`);
  });
});

describe('amounts', () => {
  const cases: [text: string, found: string[]][] = [
    ['Total: € 20.00 for 3 items', ['€ 20.00']],
    ['1.299,00 € or 1 299 kr', ['1.299,00 €', '1 299 kr']],
    ['$5, 5 USD and 12.50', ['$5', '5 USD', '12.50']],
    ['Version 24, 3 of 10, room 101', []],
    ['¥1,000 and CHF 12', ['¥1,000', 'CHF 12']],
  ];
  for (const [text, found] of cases) it(text, () => assert.deepEqual(amountsIn(text), found));
});
