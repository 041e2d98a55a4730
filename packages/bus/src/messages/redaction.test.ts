import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor, redactedText } from './redaction.ts';

const value = 'hunter2 & Söhne/+?';
const redactor = createRedactor([value]);

test('a value is struck as it is, in other cases, and as pages and addresses write it', () => {
  const forms = [
    value,
    value.toUpperCase(),
    encodeURIComponent(value),
    encodeURIComponent(value).toLowerCase(),
    String(new URLSearchParams({ q: value })).slice(2),
    new URL(`https://x.test/?q=${encodeURIComponent(value)}`).search,
    JSON.stringify(value),
    'hunter2 &amp; Söhne/+?',
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64url'),
    Buffer.from(`user:${value}`).toString('base64'),
    Buffer.from(`a:${value} and more`).toString('base64'),
    Buffer.from(`ab:${value} and more`).toString('base64'),
  ];
  for (const form of forms) {
    const struck = redactor.text(`before ${form} after`);
    assert.ok(struck.includes(redactedText), form);
    assert.ok(!/hunter2|aHVudGVyM|68756e746572/i.test(struck), struck);
    assert.ok(struck.startsWith('before ') && struck.endsWith(' after'), struck);
  }
});

test('a value that was cut is struck, and words that only begin alike are not', () => {
  const other = createRedactor(['password-of-lamps']);
  assert.equal(other.text('title: password-of-l…'), `title: ${redactedText}…`);
  assert.equal(other.text('your password-of-lam'), `your ${redactedText}`);
  assert.equal(other.text('Password'), 'Password');
  assert.equal(other.text('Password of the user'), 'Password of the user');
});

test('several values that overlap leave nothing of either', () => {
  const both = createRedactor(['lantern', 'lantern-brass', 'brass-top']);
  assert.equal(both.text('x lantern-brass-top y lantern'), `x ${redactedText} y ${redactedText}`);
});

test('words of a message are struck, and what makes it a message stays', () => {
  const acted = createRedactor(['acted', 'title', 'crashed']);
  const message = {
    type: 'acted',
    after: { url: 'https://x.test/acted', title: 'acted' },
    data: { acted: [{ type: 'acted' }] },
    state: { pages: ['acted'] },
    count: 1,
  };
  assert.deepEqual(acted.words(message), {
    type: 'acted',
    after: { url: `https://x.test/${redactedText}`, title: redactedText },
    data: { [redactedText]: [{ type: redactedText }] },
    state: { pages: ['acted'] },
    count: 1,
  });
});

test('without values nothing is touched', () => {
  const none = createRedactor([]);
  const message = { title: 'x' };
  assert.equal(none.words(message), message);
  assert.ok(none.isEmpty);
});
