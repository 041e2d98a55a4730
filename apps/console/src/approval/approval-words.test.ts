import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Approval } from '../live/api-types.ts';
import {
  describeAmounts,
  describeBinding,
  describeFacts,
  describeNo,
  describeWish,
  describeYes,
  isOfPage,
} from './approval-words.ts';
import { describeAct } from './describe-act.ts';

const order: Approval = {
  ...{ id: '0198c4a1-0000-7000-8000-000000000001', class: 'commit', why: 'It pays.', action: 'Click "Place order"' },
  ...{ role: 'button', name: 'Place order', value: null, secret: null, frame_origin: null, form_action: null },
  ...{ page: 'https://shop.test/checkout/review', amounts: [], bbox: null, picture_path: '/p', expires_at: null },
  void_reason: null,
};

it('the yes repeats the verb and the target, at any length', () => {
  assert.equal(describeAct('Type "Ada" into "Name"'), 'Type “Ada” into “Name”');
  assert.equal(describeYes(order.action), 'Yes, click “Place order”');
  assert.equal(describeWish(order.action), 'Wants to click “Place order”');
  assert.equal(describeYes('URL'), 'Yes, URL');
  assert.ok(describeYes(`Click "${'W'.repeat(100_000)}"`).length < 100);
});

it('the place is the page; a frame and a form are told where they lead elsewhere', () => {
  const where = { term: 'Where', text: 'shop.test/checkout/review' };
  assert.deepEqual(describeFacts(order), [where]);
  assert.deepEqual(describeFacts({ ...order, form_action: 'https://shop.test/pay' }), [where]);
  assert.deepEqual(
    describeFacts({ ...order, frame_origin: 'https://bank.test', form_action: 'http://thief.test/pay' }),
    [where, { term: 'In a frame of', text: 'bank.test' }, { term: 'Sends to', text: 'http://thief.test/pay' }],
  );
  assert.deepEqual(describeFacts({ ...order, page: null }), [{ term: 'Where', text: 'No page is open' }]);
});

it('an address that is none is shown as it is, and never counts as the own site', () => {
  const bad = 'javascript:alert(1)';
  assert.deepEqual(
    describeFacts({ ...order, form_action: bad }).map(({ text }) => text),
    ['shop.test/checkout/review', bad],
  );
  assert.deepEqual(
    describeFacts({ ...order, page: 'data:text/html,x', form_action: 'data:text/html,y' }).map(({ term }) => term),
    ['Where', 'Sends to'],
  );
  assert.equal(isOfPage({ page: bad }, 'javascript:alert(2)'), false);
});

it('what is written is shown, and of a secret only its name', () => {
  const [, ...written] = describeFacts({ ...order, value: 'Berth 14' });
  assert.deepEqual(written, [{ term: 'Value', text: 'Berth 14' }]);
  const [, ...given] = describeFacts({ ...order, class: 'upload', value: 'list.pdf' });
  assert.deepEqual(given, [{ term: 'File', text: 'list.pdf' }]);
  const [, ...secret] = describeFacts({ ...order, class: 'credential', secret: 'shop password' });
  assert.deepEqual(secret, [{ term: 'Secret', text: 'shop password' }]);
});

it('says what the yes is good for and what voids it', () => {
  assert.equal(
    describeBinding(order, '14:34:12'),
    'Good for this one click, on the page as pictured at 14:34:12. If the page changes first, you are asked again.',
  );
  assert.match(
    describeBinding({ ...order, action: 'Upload "a.pdf"', picture_path: null }, '14:34:12'),
    /this one act, on the page as it was at/,
  );
});

it('the target is framed only on the page that the approval is of', () => {
  assert.equal(isOfPage(order, 'https://shop.test/checkout/review?a=1#b'), true);
  assert.equal(isOfPage(order, 'https://shop.test/checkout'), false);
  assert.equal(isOfPage(order, 'https://shop.test.thief.test/checkout/review'), false);
  assert.equal(isOfPage({ page: null }, 'about:blank'), false);
});

it('amounts stay apart, and words are never a choice', () => {
  assert.equal(describeAmounts(['96,00 €', '\u202eabc']), '\u206896,00 €\u2069 · \u2068\u202eabc\u2069');
  for (const words of ['once', ' kind ', 'no']) assert.equal(['once', 'kind', 'no'].includes(describeNo(words)), false);
});
