import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openStage, type Stage, soon } from '../../testing/stage.ts';
import { StepFailure } from '../common/failure.ts';
import type { ExtractStep } from './extract.ts';

type Asked = Omit<ExtractStep, 'action' | 'as'>;

describe('extracting', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage?.close());

  /** What is extracted, or why nothing is. */
  async function from(html: string, asked: Asked): Promise<unknown> {
    await using shown = await stage.show(`<!doctype html>${html}`);
    try {
      return await shown.dom.extract({ action: 'extract', as: 'it', ...asked }, soon(20_000));
    } catch (error) {
      if (error instanceof StepFailure) return error.failure;
      throw error;
    }
  }

  const people = `<table id=people><caption>People</caption>
    <tr><th>Name<th>Age<th>Name<th></tr><tr><td>Anna<td>30<td>x<td>1</tr><tr hidden><td>Hidden<td>1</tr>
    <tr><td rowspan=2>Bert<td>40<td>y</tr><tr><td colspan=2>41</tr></table>`;
  const shop = `<html lang=de><ul><li class=item><a href="/a">Apple</a> <b class=price>1.234,50 €</b> <input type=checkbox checked></li>
    <li class=item><a href="/b">Pear</a> <b class=price>- 3,5 €</b> <input type=checkbox></li><li class=item style="display: none">No</li>
    <li class=item><span>Plum</span> <b class=price>2.000</b></li></ul>`;

  const rows: [name: string, html: string, asked: Asked, value: unknown][] = [
    [
      'the text of the page, as a person reads it',
      `<title>No</title><h1>Hello</h1><p>One <b>bold</b>   word<br>and a line</p><ul><li>a<li>b</ul><script>no</script>
       <p style="display: none">no</p><p style="visibility: hidden">no <span style="visibility: visible">but yes</span></p><p style="opacity: 0">no</p>
       <span style="position: absolute; width: 1px; height: 1px; overflow: hidden">no</span><div style="position: absolute; left: -9999px">no</div>
       <table><tr><td>1<td>2</table><pre>a\n  b</pre>`,
      { kind: 'text' },
      'Hello\nOne bold word\nand a line\na\nb\nbut yes\n1\t2\na\nb',
    ],
    [
      'the text of a target',
      '<p id=one>One <i>two</i></p><p>Three</p>',
      { kind: 'text', target: { css: '#one' } },
      'One two',
    ],
    ['the value of a field', '<label>Name <input value=Anna></label>', { kind: 'text', target: 'Name' }, 'Anna'],
    ['no password', '<label>Key <input type=password value=Anna></label>', { kind: 'text', target: 'Key' }, '••••'],
    [
      'a table by its header',
      people,
      { kind: 'table' },
      [
        { Name: 'Anna', Age: '30', 'Name 2': 'x', 'column 4': '1' },
        { Name: 'Bert', Age: '40', 'Name 2': 'y', 'column 4': null },
        { Name: 'Bert', Age: '41', 'Name 2': '41', 'column 4': null },
      ],
    ],
    [
      'a table without header',
      '<table><tr><td>1<td>2<tr><td>3<td>4</table>',
      { kind: 'table' },
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'a table around the target',
      `${people}<table><tr><td>other</table>`,
      { kind: 'table', target: { text: 'other' } },
      [['other']],
    ],
    ['no table of two', `${people}${people}`, { kind: 'table' }, 'ambiguous'],
    ['no table where none is', '<p>', { kind: 'table' }, 'not_found'],
    [
      'a table made of roles',
      '<div role=grid><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div><div role=row><span role=gridcell>1</span><span role=gridcell>2</span></div></div>',
      { kind: 'table' },
      [{ A: '1', B: '2' }],
    ],
    [
      'attributes',
      '<a id=x href="http://127.0.0.1/p?q#r" data-n=5 hidden2>Go <b>there</b></a>',
      { kind: 'attributes', target: 'Go there' },
      { id: 'x', href: 'http://127.0.0.1/p?q#r', 'data-n': '5', hidden2: '', text: 'Go there' },
    ],
    [
      'records',
      shop,
      {
        kind: 'records',
        each: '.item',
        fields: {
          name: { css: 'a, span' },
          price: { css: '.price', type: 'number' },
          is_open: { css: 'input', type: 'boolean' },
          link: { css: 'a', attribute: 'data-none' },
        },
      },
      [
        { name: 'Apple', price: 1234.5, is_open: true, link: null },
        { name: 'Pear', price: -3.5, is_open: false, link: null },
        { name: 'Plum', price: 2000, is_open: null, link: null },
      ],
    ],
    [
      'numbers however they are written',
      `<html lang=en>${[
        '$1,234.56',
        '1 234',
        "CHF 1'000.5",
        '−7',
        '12%',
        '1,234',
        '0.125',
        'none',
        '1.234.567,8',
        '-$5.00',
        'EUR 3,50',
        '3 items',
      ]
        .map((text) => `<i>${text}</i>`)
        .join('')}`,
      { kind: 'records', each: 'i', fields: { n: { type: 'number' } } },
      [1234.56, 1234, 1000.5, -7, 12, 1234, 0.125, null, 1234567.8, -5, 3.5, 3].map((n) => ({ n })),
    ],
    ['nothing by a wrong selector', shop, { kind: 'records', each: '][', fields: {} }, 'unsupported'],
    ['nothing that is too large', `<p>${'word '.repeat(60_000)}`, { kind: 'text' }, 'too_large'],
    [
      'not too many records',
      `<p>${'<i>12345678901234567890</i>'.repeat(12_000)}`,
      { kind: 'records', each: 'i', fields: { text: {} } },
      'too_large',
    ],
  ];
  for (const [name, html, asked, value] of rows) {
    it(`gives ${name}`, async () => {
      assert.deepEqual(await from(html, asked), value);
    });
  }

  it('gathers records from frames too', async () => {
    await using shown = await stage.show({
      main: '<i>a</i><iframe src="{there}/frame"></iframe>',
      frame: '<i>b</i>',
    });
    const step: ExtractStep = { action: 'extract', as: 'it', kind: 'records', each: 'i', fields: { text: {} } };
    assert.deepEqual(await shown.dom.extract(step, soon()), [{ text: 'a' }, { text: 'b' }]);
  });
});

it('gives records of a frame that is busy for a while, and not an empty list', async () => {
  const stage = await openStage({ isIsolated: true });
  try {
    await using shown = await stage.show({
      main: '<p>Around</p><iframe src="{there}/frame"></iframe>',
      frame:
        '<i>b</i><script>onmessage = () => { console.log("hangs"); for (const end = Date.now() + 1500; Date.now() < end; ); }</script>',
    });
    const hangs = shown.page.waitForEvent('console');
    await shown.page.evaluate('frames[0].postMessage("hang", "*")');
    await hangs;
    const step: ExtractStep = { action: 'extract', as: 'it', kind: 'records', each: 'i', fields: { text: {} } };
    assert.deepEqual(await shown.dom.extract(step, soon(15_000)), [{ text: 'b' }]);
  } finally {
    await stage.close();
  }
});
