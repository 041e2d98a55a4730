import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MindAnswer, type MindRequest, message } from './mind.ts';
import { type Intent, teacher } from './teacher.ts';
import { findHandles, readPage } from './view-text.ts';

const shop = `Note: 75 % of the steps are used.
<page-a1b2c3>
address: http://shop.example/basket
title: Basket

[e1 "Home"] [e2 "Lamps" → lamps.example]
# Basket
! Card declined: try another card.
### Brass lantern
€ 42.25 · only 3 left
[e4 button "Remove"]
### Copper "old" lamp
[e5 button "Remove"]
[e6 select "Country" = "Germany" of Austria|Germany|France|+190] [e7 date "Date" = "2026-11-20" min 2026-11-18]
[e9 field "Street" = "" required invalid] Street must not be empty
[e10 field "Code" = "" pattern [0-9]{5} invalid]
[e11 checkbox "Terms" checked] [e12 button "Off" disabled] [e13 button]
<frame "Payment" pay.example>
[e14 field "Card number" = "••••"]
</frame>
1001 | 2026-10-02 | € 12.00 | [e21 button "Reorder"]
1002 | 2026-10-03 | € 15.00 | *[e22 button "Reorder"]
<dialog "Say \\"yes\\"" on top>
[e30 button "Yes"]
</dialog>
<below 1.9 screens: 4 links, 2 headings>
</page-a1b2c3>`;

describe('the text of a page', () => {
  const page = readPage(shop);
  const of = (ref: string) => page.handles.find((one) => one.ref === ref);

  it('is read with role, name, value and options of each handle', () => {
    assert.deepEqual(
      page.handles.map(({ ref, role, name }) => `${ref} ${role} ${name}`),
      [
        'e1 link Home',
        'e2 link Lamps',
        'e4 button Remove',
        'e5 button Remove',
        'e6 select Country',
        'e7 date Date',
        'e9 field Street',
        'e10 field Code',
        'e11 checkbox Terms',
        'e12 button Off',
        'e13 button ',
        'e14 field Card number',
        'e21 button Reorder',
        'e22 button Reorder',
        'e30 button Yes',
      ],
    );
    assert.deepEqual([of('e6')?.value, of('e6')?.options], ['Germany', ['Austria', 'Germany', 'France']]);
    assert.deepEqual([of('e7')?.value, of('e9')?.value, of('e1')?.value], ['2026-11-20', '', undefined]);
    assert.deepEqual([of('e12')?.isDisabled, of('e11')?.isDisabled], [true, false]);
    assert.deepEqual(page.headings, ['Basket', 'Brass lantern', 'Copper "old" lamp']);
    assert.deepEqual([of('e14')?.around, of('e30')?.around], [['Payment'], ['Say "yes"']]);
    assert.equal(page.hasMore, true);
  });

  it('tells handles of the same name apart by row, heading and dialog', () => {
    const refs = (name: string, within?: string) => findHandles(page, name, undefined, within).map(({ ref }) => ref);
    assert.deepEqual(refs('remove'), ['e4', 'e5']);
    assert.deepEqual(refs('Remove', 'brass lantern'), ['e4']);
    assert.deepEqual(refs('Remove', 'Copper'), ['e5']);
    assert.deepEqual(refs('Reorder', '1002'), ['e22']);
    assert.deepEqual(refs('Yes', 'Say'), ['e30']);
    assert.deepEqual(refs('Remove', 'no such thing'), []);
    assert.deepEqual(refs('Off'), []);
  });
});

describe('the teacher', () => {
  const plan: Intent[] = [
    { open: 'http://shop.example/basket' },
    { fill: { Street: 'Elm 1', Country: 'France', Terms: true }, thenPress: 'Enter' },
    { click: 'Remove', in: 'Brass lantern', irreversible: true },
    { finish: ({ headings }: { headings: string[] }) => ({ headings: headings.length }) },
  ];
  /** A history of calls with their results, and the page as it is now. */
  const asked = (past: [name: string, result: string][], text = shop): MindRequest => ({
    wire: 'chat',
    model: 'teacher',
    system: '',
    isSystemMarked: false,
    messages: past.map(([name, result], index) =>
      message('tool', { results: [{ id: `${index}`, name, text: result }] }),
    ),
    tools: [],
    lastUserText: text,
    pictures: [],
    maxOutputTokens: 100,
    cacheKey: undefined,
  });
  const callOf = (past: [string, string][], text?: string) => (teacher(plan)(asked(past, text)) as MindAnswer).calls;
  const done: [string, string][] = [
    ['open', 'done'],
    ['fill', 'done, page changed'],
    ['click', 'done'],
  ];

  it('does one intent a decision, by the handles of the view', () => {
    assert.deepEqual(callOf([]), [{ name: 'open', input: { url: 'http://shop.example/basket' } }]);
    const items = [
      { ref: 'e9', text: 'Elm 1' },
      { ref: 'e6', option: 'France' },
      { ref: 'e11', checked: true },
    ];
    assert.deepEqual(callOf(done.slice(0, 1)), [{ name: 'fill', input: { items, then_press: 'Enter' } }]);
    assert.deepEqual(callOf(done.slice(0, 2)), [{ name: 'click', input: { ref: 'e4', irreversible: true } }]);
    const data = { headings: 3 };
    assert.deepEqual(callOf(done), [{ name: 'finish', input: { state: 'done', summary: 'It is done.', data } }]);
  });

  it('tries again what failed, looks for what is not there, and gives up in the end', () => {
    const failed: [string, string] = ['click', 'Failed: it is covered'];
    assert.deepEqual(callOf([...done.slice(0, 2), failed])?.[0]?.name, 'click');
    const state = (calls: MindAnswer['calls']) => calls?.map((call) => ('input' in call ? call.input : undefined))[0];
    assert.match(JSON.stringify(state(callOf([...done.slice(0, 2), failed, failed, failed]))), /impossible.*3 times/);
    assert.deepEqual(callOf(done.slice(0, 1), '# Loading'), [{ name: 'wait', input: { secs: 1 } }]);
    assert.deepEqual(callOf(done.slice(0, 1), '# Top\n<below 2.0 screens: 1 link>'), [
      { name: 'scroll', input: { screens: 1 } },
    ]);
    const waits = Array.from({ length: 6 }, (): [string, string] => ['wait', 'done']);
    assert.match(JSON.stringify(state(callOf([...done.slice(0, 1), ...waits], '# Loading'))), /impossible/);
  });

  it('waits for what the page has to show, and uses tabs, places and other tools', () => {
    const text = `address: http://a.example\ntabs:\np1 (in front) Shop http://a.example\np2 Book http://a.example/book\n
[e1 place "Done"] [e2 draggable "Card"] [e3 button "Menu"]`;
    const one = (intent: Intent, past: [string, string][] = []) =>
      (teacher([intent])(asked(past, text)) as MindAnswer).calls?.[0];
    const drag = { drag: 'Card', to: 'Done' };
    assert.deepEqual(one(drag), { name: 'drag', input: { from: 'e2', to: 'e1' } });
    assert.deepEqual(one({ ...drag, when: 'Ready' }), { name: 'wait', input: { text: 'Ready' } });
    assert.deepEqual(one({ ...drag, when: 'Ready' }, [['wait', 'done']]), { name: 'wait', input: { secs: 1 } });
    assert.deepEqual(one({ use: 'hover', on: 'Menu' }), { name: 'hover', input: { ref: 'e3' } });
    assert.deepEqual(one({ tab: '/book', close: true }), { name: 'tab', input: { page: 'p2', close: true } });
    assert.deepEqual(one({ finish: () => undefined }), { name: 'wait', input: { secs: 1 } });
    const input = { state: 'impossible', summary: 'It is sold out.' };
    assert.deepEqual(one({ giveUp: 'It is sold out.' }), { name: 'finish', input });
  });

  it('counts decisions that the history has shortened', () => {
    const request = asked(done.slice(2));
    request.messages.unshift(
      message('user', {
        text: 'Done so far:\n1. open {"url":"http://shop.example"}: done\n2. fill {"items":[]}: done',
      }),
    );
    assert.equal((teacher(plan)(request) as MindAnswer).calls?.[0]?.name, 'finish');
  });
});
