import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../../../../testkit/until.ts';
import { type PrivatePages, startPrivatePages } from '../../testing/private-pages.ts';

const keep = (id: string) => `<script>setInterval(() => { window.focus(); ${id}.focus() }, 50)</script>`;
const rest = '<p id=count>0</p><button onclick="count.textContent = Number(count.textContent) + 1">Count</button>';
const page = (name: string, html: string) => `<!doctype html><title>${name}</title>${rest}${html}`;
const unseen: Record<string, string> = {
  transparent: 'position: fixed; width: 100px; height: 20px; opacity: 0',
  tiny: 'position: fixed; width: 1px; height: 1px; padding: 0; border: 0',
  clipped: 'clip-path: inset(50%)',
};
const cards = ['4111111111111111', '5555555555554444'];
const pages: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(unseen).map(([name, style]) => [
      name,
      page(name, `<label for=thief>Code</label><input type=password id=thief style="${style}">${keep('thief')}`),
    ]),
  ),
  visible: page('visible', `<label>Password <input type=password id=thief></label>${keep('thief')}`),
  framed: page('framed', '<iframe src="{there}/advert"></iframe>'),
  advert: `<input type=password id=thief style="${unseen.transparent}">${keep('thief')}`,
  form: page(
    'form',
    '<label for=word>Password</label><input type=password id=word autofocus><input aria-label=Name><input aria-label="Card number">',
  ),
  ...Object.fromEntries(
    cards.map((card, index) => [
      `card${index}`,
      page(
        'card',
        `<style>#pay { -webkit-text-security: none !important; caret-color: transparent }</style>
         <input id=pay name=cardnumber value=${card}>${keep('pay')}`,
      ),
    ]),
  ),
};

describe('a secret field that has the focus', () => {
  let site: PrivatePages;
  before(async () => {
    site = await startPrivatePages(pages);
  });
  after(() => site?.close());

  for (const name of ['transparent', 'tiny', 'clipped', 'visible', 'framed']) {
    it(`hides nothing where the page put it there by itself: ${name}`, async () => {
      await using session = await site.open(name);
      for (let click = 0; click < 2; click += 1) {
        const { acted } = await session.act({ action: 'click', target: 'Count' });
        assert.equal(acted.picture?.private, false);
        assert.equal(acted.picture?.private_reason, undefined);
      }
      // Frames from before the page was masked are private; once one is for everybody, all are.
      await until(() => session.frames.some(({ header }) => header.focuses_secret_field && !header.private), 3000);
      await session.act({ action: 'click', target: 'Count' });
      const ofPage = session.frames.filter(({ header }) => header.title === name).map(({ header }) => header);
      const first = ofPage.findIndex((header) => !header.private);
      assert.ok(first >= 0);
      assert.deepEqual(
        ofPage.slice(first).filter((header) => header.private),
        [],
      );
    });
  }

  it('hides nothing where nobody sees it, although it was touched', async () => {
    await using session = await site.open('transparent');
    const { acted } = await session.act({ action: 'click', target: 'Code' });
    assert.equal(acted.picture?.private, false);
  });

  it('is covered with dots before anybody sees it, whatever the styles of the page say', async () => {
    const pictures: string[] = [];
    for (const name of ['card0', 'card1']) {
      await using session = await site.open(name);
      // Frames from before the page was masked are private.
      await until(() => session.frames.some(({ header }) => header.focuses_secret_field && !header.private), 3000);
      const { acted, image } = await session.act({ action: 'screenshot' });
      assert.equal(acted.picture?.private, false);
      pictures.push(Buffer.from(image).toString('base64'));
    }
    assert.ok(pictures[0] === pictures[1], 'nothing tells one number from the other');
  });

  const touches: [name: string, step: Parameters<Awaited<ReturnType<PrivatePages['open']>>['act']>[0]][] = [
    [
      'a step types into it, though the page had put the focus there',
      { action: 'type', target: 'Password', text: 'x' },
    ],
    ['a step clicks on it', { action: 'click', target: { css: '#word' } }],
    ['a step clicks on its label', { action: 'click', target: { text: 'Password' } }],
    ['a step goes on to it by a key', { action: 'press', key: 'Tab', target: 'Name' }],
  ];
  for (const [name, step] of touches) {
    it(`hides the page where ${name}, and says why`, async () => {
      await using session = await site.open('form');
      const { acted } = await session.act(step);
      assert.deepEqual([acted.picture?.private, acted.picture?.private_reason], [true, 'secret_field']);
      await until(() => session.frames.at(-1)?.header.private_reason === 'secret_field', 3000);
      await session.act({ action: 'click', target: 'Count' });
      await until(() => session.frames.at(-1)?.header.private === false, 3000);
    });
  }
});
