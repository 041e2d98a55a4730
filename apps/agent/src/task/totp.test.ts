import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totpOf } from './totp.ts';

/** The key of the RFC, "12345678901234567890". */
const key = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test('codes are those of RFC 6238, appendix B, for SHA-1', () => {
  const table: [secs: number, code: string][] = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ];
  for (const [secs, code] of table) {
    assert.equal(totpOf(key, secs * 1000, 8), code);
    assert.equal(totpOf(key, secs * 1000), code.slice(2));
  }
});

test('a key is read in groups, in small letters and with padding', () => {
  assert.equal(totpOf('gezd gnbv-gy3t qojq GEZD GNBV GY3T QOJQ====', 59_000), '287082');
});

test('a code holds for thirty seconds', () => {
  assert.equal(totpOf(key, 30_000), totpOf(key, 59_999));
  assert.notEqual(totpOf(key, 29_999), totpOf(key, 30_000));
});
