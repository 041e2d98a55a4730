import assert from 'node:assert/strict';
import { it } from 'node:test';
import { looksLikeScript } from './looks-like-script.ts';

it('instructions look like a script', () => {
  const scripts = [
    'open https://example.com',
    'click "Sign in"',
    '# A price\nlet product = "Brass lantern"\n\nopen https://shop.example.com\ntype "{product}" into "Search"\npress Enter',
    '!click "Pay" -- "Pay the bill"',
    'step {"action": "reload"}',
    'clik "Sign in"\nback',
  ];
  for (const script of scripts) assert.equal(looksLikeScript(script), true, script);
});

it('words do not', () => {
  const words = [
    '',
    'Compare the fares of all ferries to Harwich in March, as a table',
    'Go to the shop and buy a "Brass lantern" there, please.',
    'back',
    'Find the cheapest lamp.\nThen tell me what it costs, with the delivery to the harbour.',
    '# only a comment "x"',
  ];
  for (const text of words) assert.equal(looksLikeScript(text), false, text);
});

it('a long text is decided at once', () => {
  const begun = performance.now();
  looksLikeScript('a'.repeat(100_000));
  looksLikeScript('a '.repeat(50_000));
  looksLikeScript('open\n'.repeat(20_000));
  assert.ok(performance.now() - begun < 1000);
});
