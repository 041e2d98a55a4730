// Pages that change in the very moment of a touch that a person said yes to. Each changes in an event of the touch, before the host's
// own listener hears of it, as a page does that changed since the host looked.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { AskedAct, Gate } from '@pilothouse/bus';
import type { Step } from '@pilothouse/contract';
import { listen } from '../../../../testkit/listen.ts';
import { type OpenedSession, openSessionOnHost } from '../../testing/open-session.ts';

const changes = {
  price: "document.getElementById('price').textContent = '€ 900.00'",
  name: "form.querySelector('button').textContent = 'Place order and subscribe'",
  action: "form.action = '/elsewhere'",
  nothing: '0',
};
type Change = keyof typeof changes;
type Moment = 'pointerdown' | 'mousedown' | 'pointerup' | 'click' | 'keydown';

/** `isOwn`: because of the touch, as a handler of the button itself. */
const html = (moment: Moment, change: Change, isOwn: boolean) => `<!doctype html><title>Order</title>
  <form action="/order" method=post><p>One lantern for <b id=price>€ 19.00</b></p>
  <label>Note <input name=note></label><button>Place order</button></form>
  <script>const form = document.forms[0];
  const change = () => { ${changes[change]} };
  ${isOwn ? 'form.querySelector("button")' : 'window'}.addEventListener('${moment}', change, ${!isOwn})</script>`;

describe('a touch that a person said yes to', () => {
  let opened: OpenedSession;
  let site: Awaited<ReturnType<typeof listen>>;
  const posts: string[] = [];
  before(async () => {
    site = await listen(
      createServer((request, response) => {
        const url = new URL(request.url ?? '/', 'http://any');
        if (request.method === 'POST') posts.push(url.pathname);
        const [moment, change, how] = url.pathname.slice(1).split('/') as [Moment, Change, string];
        const isPage = change in changes;
        response.setHeader('content-type', 'text/html; charset=utf-8');
        response.end(isPage ? html(moment, change, how === 'own') : '<!doctype html><title>Done</title>');
      }),
    );
    opened = await openSessionOnHost();
  });
  after(async () => {
    await opened?.close();
    await site?.close();
  });

  const rules = { mode: 'standard' as const, allow: [], deny: [], read_only: [], watch: [] };
  /** What is asked, or undefined where it was done. */
  async function tried(step: Step, yes?: string): Promise<AskedAct | undefined> {
    const gate: Gate = { rules, is_given: false, grants: [], is_watched: false, yes };
    const { head } = await opened.session.tryTo(step, { gate, bring: [] });
    if (head.ok) return undefined;
    assert.equal(head.failure, 'needs_yes', JSON.stringify(head));
    return head.asked;
  }

  const place: Step = { action: 'click', target: 'Place order' };
  const enter: Step = { action: 'press', key: 'Enter', target: 'Note' };
  const rows: [moment: Moment, change: Change, how: 'own' | 'other', step: Step, posts: string[]][] = [
    ['pointerdown', 'price', 'other', place, []],
    ['pointerdown', 'name', 'other', place, []],
    ['pointerdown', 'action', 'other', place, []],
    ['mousedown', 'price', 'other', place, []],
    ['pointerup', 'price', 'other', place, []],
    ['click', 'name', 'other', place, []],
    ['keydown', 'price', 'other', enter, []],
    ['keydown', 'action', 'other', enter, []],
    // Where the form goes, the person was told.
    ['click', 'action', 'own', place, []],
    // What the button itself does when it is pressed is what the person said yes to.
    ['mousedown', 'name', 'own', place, ['/order']],
    ['click', 'name', 'own', place, ['/order']],
    ['pointerdown', 'nothing', 'other', place, ['/order']],
    ['keydown', 'nothing', 'other', enter, ['/order']],
  ];
  for (const [moment, change, how, step, reached] of rows) {
    it(`${step.action}: ${change} changes at ${moment} by ${how}: ${reached.length > 0 ? 'done' : 'not done'}`, async () => {
      posts.length = 0;
      await opened.session.act({ action: 'navigate', url: `${site.url}/${moment}/${change}/${how}` });
      const first = await tried(step);
      assert.ok(first, 'it is asked');
      const again = await tried(step, first.fingerprint);
      assert.equal(again === undefined, reached.length > 0);
      if (again) assert.notEqual(again.fingerprint, first.fingerprint);
      assert.deepEqual(posts, reached);
    });
  }
});
