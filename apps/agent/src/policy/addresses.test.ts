import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressesIn, isSameAddress } from './addresses.ts';

describe('an address counts as written by a person', () => {
  const rows: [said: string, to: string, isWritten: boolean][] = [
    ['Open https://shop.test/lamps?sort=price.', 'https://shop.test/lamps?sort=price', true],
    ['Open http://shop.test/lamps', 'https://shop.test/lamps', true],
    ['Look at shop.test/lamps, please', 'http://shop.test/lamps/', true],
    ['(see localhost:8080/a)', 'http://localhost:8080/a', true],
    ['http://10.0.0.1:81/x#part', 'http://10.0.0.1:81/x#part', true],
    ['https://en.wiki.test/wiki/Lamp_(light)', 'https://en.wiki.test/wiki/Lamp_(light)', true],
    ['Open https://shop.test/lamps/brass', 'https://shop.test/lamps', false],
    ['Open https://shop.test/lamps', 'https://shop.test/lamps/brass', false],
    ['Open https://shop.test/lamps', 'https://shop.test/lamps?to=evil', false],
    ['Open https://shop.test/lamps', 'https://shop.test/lamps#carried-away', false],
    ['Open https://shop.test/lamps', 'http://shop.test/lamps', false],
    ['Open https://shop.test/lamps', 'https://shop.test:8443/lamps', false],
    ['Open https://notshop.test/', 'https://shop.test/', false],
    ['No address at all', 'https://shop.test/', false],
  ];
  for (const [said, to, isWritten] of rows) {
    it(`${to}, where it is said "${said}": ${isWritten ? 'yes' : 'no'}`, () => {
      const url = new URL(to);
      assert.equal(
        addressesIn([said]).some((one) => isSameAddress(one, url)),
        isWritten,
      );
    });
  }
});
