import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { carriesTooMuch, type Shown, shownParts, sourceOf } from './flow.ts';

describe('where a text comes from', () => {
  const bank: Shown = {
    host: 'bank.test',
    text: 'Account DE-77 4402 1190 of Ada. Balance 1,200.50 €. Harbour street, pier.',
  };
  const mail: Shown = { host: 'mail.test', text: 'Subject: the meeting on Thursday at the old harbour office' };
  const rows: { value: string; given: string[]; from: string; hosts?: string[] }[] = [
    { value: 'Ada Lovelace', given: ['Register Ada Lovelace, please.'], from: 'given' },
    { value: 'Lovelace, ADA', given: ['Register Ada Lovelace, please.'], from: 'given' },
    { value: '2026-05-03', given: ['On 3.5.2026'], from: 'given' },
    { value: '2026-05-03', given: ['On 3.5.2025'], from: 'made_up' },
    { value: 'ada@harbour.example', given: ['Mail to ada@harbour.example!'], from: 'given' },
    { value: 'mallory@harbour.example', given: ['Mail to ada@harbour.example!'], from: 'made_up' },
    { value: '', given: [], from: 'given' },
    { value: ' … ', given: [], from: 'given' },
    { value: 'DE77 4402 1190', given: ['Open the bank'], from: 'seen', hosts: ['bank.test'] },
    { value: 'de7744021190', given: [], from: 'seen', hosts: ['bank.test'] },
    { value: 'It says: the number is DE-77-4402-1190, thanks', given: [], from: 'seen', hosts: ['bank.test'] },
    { value: '44021190', given: [], from: 'seen', hosts: ['bank.test'] },
    { value: 'Thursday', given: [], from: 'seen', hosts: ['mail.test'] },
    { value: 'harbour', given: [], from: 'seen', hosts: ['bank.test', 'mail.test'] },
    { value: 'Thurs', given: [], from: 'made_up' },
    { value: 'the', given: [], from: 'made_up' },
    { value: 'a sentence that nobody has written anywhere', given: ['a task'], from: 'made_up' },
    // Twelve letters in a row are a copy wherever they are, and eleven are none.
    { value: 'q harbour offic z', given: [], from: 'seen', hosts: ['mail.test'] },
    { value: 'harbour offic zz', given: [], from: 'seen', hosts: ['mail.test'] },
    { value: 'zz harbour offic', given: [], from: 'seen', hosts: ['mail.test'] },
    { value: 'harbour offic', given: [], from: 'seen', hosts: ['mail.test'] },
    { value: 'q harbour offi z', given: [], from: 'made_up' },
    { value: 'arbour offi', given: [], from: 'made_up' },
    { value: 'pier', given: [], from: 'seen', hosts: ['bank.test'] },
    { value: '77', given: [], from: 'made_up' },
    { value: 'no. 4402 please, dear reader', given: [], from: 'seen', hosts: ['bank.test'] },
    { value: 'no. 440 please, dear reader', given: [], from: 'made_up' },
    { value: 'adax', given: ['to ada@x'], from: 'given' },
    { value: 'dax', given: ['to ada@x'], from: 'made_up' },
    // One word more than the person said.
    { value: 'Ada Lovelace 44021190', given: ['Register Ada Lovelace'], from: 'seen', hosts: ['bank.test'] },
  ];
  for (const { value, given, from, hosts } of rows)
    it(`${JSON.stringify(value)} beside ${JSON.stringify(given)} is ${from}`, () =>
      assert.deepEqual(sourceOf(value, given, [bank, mail]), hosts ? { from, hosts } : { from }));

  it('takes a frame of another host as a part of its own', () => {
    const text =
      'Shop\n<frame "Pay \\"now\\"" bank.test:8443>\nAccount 1\n<frame "Own">\ninner\n</frame>\n</frame>\nEnd';
    assert.deepEqual(shownParts('https://shop.test/a', text), [
      { host: 'shop.test', text: 'Shop' },
      { host: 'bank.test:8443', text: 'Account 1' },
      { host: 'bank.test:8443', text: 'inner' },
      { host: 'shop.test', text: 'End' },
    ]);
    assert.deepEqual(shownParts('https://shop.test/', 'a\nb\n</frame>\nc'), [
      { host: 'shop.test', text: 'a\nb' },
      { host: 'shop.test', text: 'c' },
    ]);
    assert.deepEqual(shownParts('about:blank', 'a'), [{ host: '', text: 'a' }]);
  });

  const given = ['Search bank.test for "old boats"'];
  const long = 'x1'.repeat(32);
  const addresses: { url: string; isTooMuch: boolean }[] = [
    { url: 'https://bank.test/search?q=old%20boats', isTooMuch: false },
    { url: `https://bank.test/${long}`, isTooMuch: false },
    { url: `https://bank.test/${long}y`, isTooMuch: true },
    { url: `https://bank.test/?${long}=y`, isTooMuch: true },
    { url: `https://bank.test/?q=${long.slice(1)}`, isTooMuch: false },
    { url: `https://bank.test/?q=${long}`, isTooMuch: true },
    { url: `https://bank.test/#${long}y`, isTooMuch: true },
    { url: `https://bank.test/a/${'%20-%20x'.repeat(64)}`, isTooMuch: true },
    // What a person wrote may be as long as it is.
    { url: `https://bank.test/?old=${'boats%20old%20'.repeat(20)}`, isTooMuch: false },
    { url: `https://bank.test/%E0%A4%A${long}`, isTooMuch: true },
    { url: `no address ${long}${long}`, isTooMuch: false },
  ];
  for (const { url, isTooMuch } of addresses)
    it(`${url.slice(0, 60)} carries ${isTooMuch ? 'too much' : 'little'} that no person gave`, () =>
      assert.equal(carriesTooMuch(url, given), isTooMuch));
});
