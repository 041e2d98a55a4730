import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Step } from '../tasks/step.ts';
import { isScript, parseScript } from './parse.ts';

describe('a line', () => {
  const lines: [line: string, step: Step][] = [
    ['open https://example.com/a?b=c#d', { action: 'navigate', url: 'https://example.com/a?b=c#d' }],
    ['open example.com.', { action: 'navigate', url: 'https://example.com' }],
    ['open localhost:8080/shop', { action: 'navigate', url: 'https://localhost:8080/shop' }],
    ['OPEN "http://127.0.0.1:1/"', { action: 'navigate', url: 'http://127.0.0.1:1/' }],
    ['go to about:blank', { action: 'navigate', url: 'about:blank' }],
    ['Visit http://[::1]:80/', { action: 'navigate', url: 'http://[::1]:80/' }],
    ['go back', { action: 'back' }],
    ['refresh.', { action: 'reload' }],
    ['  click \t "Sign in"  ', { action: 'click', target: 'Sign in' }],
    ['Click on the button "Sign in";', { action: 'click', target: { role: 'button', name: 'Sign in' } }],
    ['click "Sign in" link', { action: 'click', target: { role: 'link', name: 'Sign in' } }],
    ['click"Sign in"#now', { action: 'click', target: 'Sign in' }],
    ['click “Say "hi"”', { action: 'click', target: 'Say "hi"' }],
    ['click „Anmelden“', { action: 'click', target: 'Anmelden' }],
    ['click «Entrer»', { action: 'click', target: 'Entrer' }],
    ['click "Say \\"hi\\""', { action: 'click', target: 'Say "hi"' }],
    ['click named "Row 1"', { action: 'click', target: { name: 'Row 1' } }],
    ['click role "graphics-symbol" "Pin"', { action: 'click', target: { role: 'graphics-symbol', name: 'Pin' } }],
    ['click ref e12', { action: 'click', target: { ref: 'e12' } }],
    ['!click "Pay" -- "Pay the bill"', { action: 'click', target: 'Pay', irreversible: true, title: 'Pay the bill' }],
    ['! click "Pay" — “Pay”. # twice', { action: 'click', target: 'Pay', irreversible: true, title: 'Pay' }],
    ['double-click text "Row"', { action: 'double_click', target: { text: 'Row' } }],
    ['hover over label "Menu"', { action: 'hover', target: { label: 'Menu' } }],
    ['type "a \\\\ b" into "Full name"', { action: 'type', target: 'Full name', text: 'a \\ b' }],
    ['type "\\u{1f600}\\n\\t" in "Search"', { action: 'type', target: 'Search', text: '😀\n\t' }],
    ['fill in "Search" with ""', { action: 'type', target: 'Search', text: '' }],
    ['press Control+A', { action: 'press', key: 'Control+A' }],
    ['press . # the sign', { action: 'press', key: '.' }],
    ['press Control+.', { action: 'press', key: 'Control+.' }],
    ['press Enter in "Search"', { action: 'press', key: 'Enter', target: 'Search' }],
    [
      'choose "Blue" from "Colour" dropdown',
      { action: 'select', target: { role: 'combobox', name: 'Colour' }, option: 'Blue' },
    ],
    ['click "Pay" in frame "Payment"', { action: 'click', target: { name: 'Pay', frame: 'Payment' } }],
    ['click "Remove" in "Brass lantern"', { action: 'click', target: { name: 'Remove', within: 'Brass lantern' } }],
    [
      'type "x" in "Street" in "Billing" in frame "Card"',
      { action: 'type', target: { name: 'Street', within: 'Billing', frame: 'Card' }, text: 'x' },
    ],
    [
      'check checkbox "Gift" in frame "Shop" in "Brass lantern"',
      {
        action: 'check',
        target: { role: 'checkbox', name: 'Gift', within: 'Brass lantern', frame: 'Shop' },
        checked: true,
      },
    ],
    [
      'select "2" in label "Amount" in "Brass lantern"',
      { action: 'select', target: { label: 'Amount', within: 'Brass lantern' }, option: '2' },
    ],
    [
      'fill "Street" in "Billing" with "Elm 3"',
      { action: 'type', target: { name: 'Street', within: 'Billing' }, text: 'Elm 3' },
    ],
    [
      'press Enter in "Note" in "Brass lantern"',
      { action: 'press', key: 'Enter', target: { name: 'Note', within: 'Brass lantern' } },
    ],
    [
      'drag "Handle" in "Brass lantern" to css "li" in "Done"',
      { action: 'drag', from: { name: 'Handle', within: 'Brass lantern' }, to: { css: 'li', within: 'Done' } },
    ],
    [
      'extract text css ".price" in "Brass lantern" as price',
      { action: 'extract', kind: 'text', target: { css: '.price', within: 'Brass lantern' }, as: 'price' },
    ],
    [
      'type "x" in the "E-mail" field in the frame "pay.example.com"',
      { action: 'type', target: { role: 'textbox', name: 'E-mail', frame: 'pay.example.com' }, text: 'x' },
    ],
    [
      'fill label "Code" in frame "Card" with "123"',
      { action: 'type', target: { label: 'Code', frame: 'Card' }, text: '123' },
    ],
    [
      'press Enter in ref e12 in frame "Card"',
      { action: 'press', key: 'Enter', target: { ref: 'e12', frame: 'Card' } },
    ],
    [
      'drag "A" in frame "One" to css "#b" in frame "Two"',
      { action: 'drag', from: { name: 'A', frame: 'One' }, to: { css: '#b', frame: 'Two' } },
    ],
    [
      'extract table "Prices" in frame "Shop" as prices',
      { action: 'extract', kind: 'table', target: { name: 'Prices', frame: 'Shop' }, as: 'prices' },
    ],
    ['untick "News"', { action: 'check', target: 'News', checked: false }],
    ['upload "my report.csv" to "File"', { action: 'upload', file: 'my report.csv', target: 'File' }],
    ['scroll', { action: 'scroll' }],
    ['scroll down', { action: 'scroll', delta_y: 600 }],
    ['scroll left 20px up 0', { action: 'scroll', delta_x: -20, delta_y: 0 }],
    ['drag "A" onto css "#b"', { action: 'drag', from: 'A', to: { css: '#b' } }],
    ['wait for "Welcome, Ünal" within 10 s', { action: 'wait', for: { text: 'Welcome, Ünal' }, timeout_secs: 10 }],
    ['wait for url "/home"', { action: 'wait', for: { url: '/home' } }],
    ['wait until idle', { action: 'wait', for: { idle: true } }],
    ['wait 1.5min', { action: 'wait', for: { secs: 90 } }],
    ['wait for 250 ms', { action: 'wait', for: { secs: 0.25 } }],
    ['wait 3', { action: 'wait', for: { secs: 3 } }],
    ['extract table "Prices" as prices', { action: 'extract', kind: 'table', target: 'Prices', as: 'prices' }],
    ['extract "Total" as total', { action: 'extract', kind: 'text', target: 'Total', as: 'total' }],
    ['take a screenshot', { action: 'screenshot' }],
    ['open a new tab example.com', { action: 'new_page', url: 'https://example.com' }],
    ['close tab.', { action: 'close_page' }],
    ['switch to tab p2', { action: 'focus_page', page: 'p2' }],
    ['dismiss the dialog', { action: 'answer_dialog', accept: false }],
    [
      'ask "Please log in" until url contains "/home"',
      { action: 'ask', question: 'Please log in', until: { url: '/home' } },
    ],
    ['STEP {"action":"reload","title":"Once more"}', { action: 'reload', title: 'Once more' }],
    ['!step {"action":"reload"}', { action: 'reload', irreversible: true }],
  ];
  for (const [line, step] of lines) {
    it(`reads: ${line}`, () => assert.deepEqual(parseScript(line), { ok: true, steps: [step], lines: [1] }));
  }
});

describe('a script', () => {
  it('passes over comments and empty lines, and says in which line each step stands', () => {
    const parsed = parseScript('# shop\n\nopen example.com\r\n  # then\rscreenshot # done\n');
    assert.deepEqual(parsed.ok && parsed.lines, [3, 5]);
  });

  it('is one only with a step in it and nothing that is not understood', () => {
    assert.ok(isScript('# look\nopen example.com\nscreenshot'));
    for (const text of ['', '# Buy a lamp', 'let a = "b"', 'open example.com\nthen buy a lamp', 'open the door'])
      assert.ok(!isScript(text), text);
  });

  it('has no more steps than a plan', () => {
    assert.ok(isScript('back\n'.repeat(200)));
    assert.deepEqual(parseScript(`${'back\n'.repeat(200)}  reload\nback`), {
      ok: false,
      errors: [{ line: 201, column: 3, message: 'A script has at most 200 steps.' }],
    });
  });
});

describe('a variable', () => {
  const typed = (text: string, variables?: Record<string, string>) => {
    const parsed = parseScript(text, { variables });
    assert.ok(parsed.ok, JSON.stringify(parsed));
    return parsed.steps.map((step) =>
      step.action === 'type' ? step.text : step.action === 'navigate' ? step.url : '',
    );
  };

  it('is filled into text and bare words from its line on', () => {
    const script =
      'let Größe_1 = "a\\"b"\ntype "<{Größe_1}>" into "x"\nlet p = shop.\nopen https://example.com/{p}?a={p}';
    assert.deepEqual(typed(script), ['<a"b>', 'https://example.com/shop?a=shop']);
    assert.deepEqual(typed('let a = 1\ntype "{a}" into "x"\nLET a="{a}2"\ntype "{a}" into "x"'), ['1', '12']);
  });

  it('is not a variable when its brace is escaped', () => {
    assert.deepEqual(typed('type "\\{a\\} \\{b}" into "x"'), ['{a} {b}']);
  });

  it('may be given from outside, which wins over the script', () => {
    assert.deepEqual(typed('let a = "b"\ntype "{a}{c}" into "x"', { a: '{c}', c: 'd' }), ['{c}d']);
  });

  it('never says a keyword', () => {
    assert.ok(!isScript('let verb = click\n{verb} "x"'));
  });
});

describe('a mistake', () => {
  const cases: [line: string, column: number, message: RegExp, nearest?: string][] = [
    ['clik "Sign in"', 1, /^“clik” is not an instruction\. Did you mean `click "…"`\?$/, 'click "…"'],
    ['  doubel click "x"', 3, /“doubel” is not an instruction/, 'double click "…"'],
    ['screnshot', 1, /not an instruction/, 'screenshot'],
    ['pres Enter', 1, /not an instruction/, 'press Enter'],
    ['go somewhere', 1, /not an instruction/, 'open https://example.com'],
    ['dance wildly', 1, /^“dance” is not an instruction\. One begins with/],
    ['click Sign in', 7, /Expected a name in quotes.*, found “Sign”\./, 'click "Sign in"'],
    ['click buton "Send"', 7, /Expected a name in quotes.*, found “buton”\./, 'button "…"'],
    ['click', 6, /Expected a name in quotes.*, but the line ends here\./, 'click "…"'],
    ['click # css', 6, /Expected a name in quotes.*, but the line ends here\./, 'click "…"'],
    ['click "Sign in" twice', 17, /Expected the end of the line, found “twice”\./, 'click "…"'],
    ['click "Sign in', 7, /is not closed/],
    ['click "a\\qb"', 9, /“\\q” is not a known escape/],
    ['click "\\u{d800}"', 8, /is not a known escape/],
    ['click "a\\', 9, /is not a known escape/],
    ['click ""', 7, /The target is empty/],
    [`click "${'a'.repeat(501)}"`, 7, /The target is longer than 500/],
    ['click css "\\u{0}"', 7, /without NUL/],
    ['click "Pay" in frame Payment', 22, /Expected text in quotes, found “Payment”\./, 'click "…"'],
    ['click "Pay" in frame ""', 7, /The target.frame is empty/],
    ['click "Remove" in ""', 7, /The target.within is empty/],
    ['click "Remove" in "Cart" in "Brass lantern"', 26, /Expected the end of the line, found “in”\./, 'click "…"'],
    ['click "Remove" in Cart', 16, /Expected the end of the line, found “in”\./, 'click "…"'],
    ['type "x" in to "Search"', 13, /found “to”\./, 'type "…" into "…"'],
    ['type "x" "Search"', 10, /Expected “into”, found/, 'type "…" into "…"'],
    ['type "{nam}" into "x"', 7, /no variable “nam”/, '{name}'],
    ['type "{constructor}" into "x"', 7, /no variable/],
    ['type "{ }" into "x"', 7, /begins a variable/],
    ['open https://example.com/{oops', 26, /begins a variable/],
    ['open gmail', 6, /Expected an address .*, found “gmail”\./, 'open https://example.com'],
    ['open javascript:alert(1)', 6, /Expected an address .*, found/, 'open https://example.com'],
    ['open ftp://example.com', 6, /Expected an address .*, found/, 'open https://example.com'],
    ['wait banana', 6, /a time such as 30 s/, 'wait 30 s'],
    ['wait 601 s', 6, /for/],
    ['wait for "x" within 1.5 s', 21, /timeout_secs/],
    ['extract table "Prices"', 23, /Expected “as”, but the line ends here\./, 'extract text as prices'],
    ['!let a = "b"', 1, /Only a step/],
    ['let a "b"', 4, /needs a name and a value/, 'let name = "Anna"'],
    ['let a =', 8, /Expected a value, but the line ends here\./, 'let name = "Anna"'],
    ['let a = b c', 11, /need quotes/, 'let name = "Anna"'],
    ['!', 2, /Expected an instruction\./, 'click "…"'],
    ['back -- Title', 9, /the title in quotes/, '-- "…"'],
    ['step back', 6, /Expected JSON after step\./, 'step {"action": "reload"}'],
    ['step {"action": "clicks"}', 6, /not an action/, 'click'],
    ['step {"action": "reload"} x', 27, /JSON/, 'step {"action": "reload"}'],
  ];
  for (const [line, column, message, nearest] of cases) {
    it(`is shown at its place: ${line.slice(0, 60)}`, () => {
      const parsed = parseScript(`let name = "Anna"\n${line}`);
      assert.ok(!parsed.ok);
      assert.equal(parsed.errors.length, 1);
      const { message: said, ...place } = parsed.errors[0] ?? { message: '' };
      assert.match(said, message);
      assert.deepEqual(place, { line: 2, column, ...(nearest === undefined ? {} : { nearest }) });
    });
  }

  it('does not hide the next one', () => {
    const parsed = parseScript('clik "a"\nback\ndance');
    assert.deepEqual(!parsed.ok && parsed.errors.map(({ line }) => line), [1, 3]);
  });
});
