import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { describeStep, parseScript } from './parse-script.ts';

describe('the script of the page', () => {
  const lines: [line: string, step: object][] = [
    ['open https://example.com/a?b=c', { action: 'navigate', url: 'https://example.com/a?b=c' }],
    ['open example.com', { action: 'navigate', url: 'https://example.com' }],
    ['open localhost:8080/shop', { action: 'navigate', url: 'https://localhost:8080/shop' }],
    ['OPEN "http://127.0.0.1:1/"', { action: 'navigate', url: 'http://127.0.0.1:1/' }],
    ['  click "Sign in"  ', { action: 'click', target: 'Sign in' }],
    ['click “Sign in”', { action: 'click', target: 'Sign in' }],
    ['click "Say \\"hi\\""', { action: 'click', target: 'Say "hi"' }],
    ['type "a \\\\ b" into "Full name"', { action: 'type', target: 'Full name', text: 'a \\ b' }],
    ['type "" into "Search"', { action: 'type', target: 'Search', text: '' }],
    ['press Enter', { action: 'press', key: 'Enter' }],
    ['press Control+A', { action: 'press', key: 'Control+A' }],
    ['wait for "Welcome, Ünal"', { action: 'wait', for: { text: 'Welcome, Ünal' } }],
    ['screenshot', { action: 'screenshot' }],
  ];
  for (const [line, step] of lines) {
    it(`reads: ${line}`, () => assert.deepEqual(parseScript(line), { steps: [step], problems: [] }));
  }

  it('passes over empty lines and remarks, and names the line it does not understand', () => {
    const { steps, problems } = parseScript('# shop\n\nopen example.com\r\ndance wildly\nclick Sign in\nscreenshot');
    assert.deepEqual(
      steps.map(({ action }) => action),
      ['navigate', 'screenshot'],
    );
    assert.deepEqual(
      problems.map(({ line }) => line),
      [4, 5],
    );
    assert.match(problems[0]?.message ?? '', /dance wildly/);
  });

  it('says what the contract has against a line', () => {
    assert.match(parseScript('open ftp://example.com').problems[0]?.message ?? '', /must be an absolute http/);
    assert.equal(parseScript('click ""').problems.length, 1);
  });

  it('never shows what is typed', () => {
    const [step] = parseScript('type "hunter2" into "Password"').steps;
    assert.equal(step && describeStep(step), 'type into "Password"');
  });

  it('takes any text without failing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { steps, problems } = parseScript(`${text}\nclick "${text}"`);
        assert.ok(steps.length + problems.length >= 0);
      }),
    );
  });
});
