import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { hashOf, kindOf, newToken, seal, unseal } from './tokens.ts';

const kinds = ['access', 'refresh', 'share', 'key', 'takeover'] as const;

describe('tokens', () => {
  it('are known by their prefix and their checksum', () => {
    for (const kind of kinds) assert.equal(kindOf(newToken(kind)), kind);
    assert.equal(new Set(Array.from({ length: 1000 }, () => newToken('access'))).size, 1000);
  });

  it('are refused with any one character changed, left out or added', () => {
    const token = newToken('refresh');
    const change = fc.record({ at: fc.nat(token.length - 1), to: fc.constantFrom(...'abcXYZ019-_') });
    fc.assert(
      fc.property(change, ({ at, to }) => {
        fc.pre(token[at] !== to);
        assert.equal(kindOf(token.slice(0, at) + to + token.slice(at + 1)), undefined);
        assert.equal(kindOf(token.slice(0, at) + token.slice(at + 1)), undefined);
        assert.equal(kindOf(token.slice(0, at) + to + token.slice(at)), undefined);
      }),
    );
  });

  it('are not recognized with a wrong prefix or length', () => {
    fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => assert.equal(kindOf(text), undefined)));
  });

  it('encrypt text that only the same token decrypts', () => {
    const [mine, other] = [newToken('refresh'), newToken('refresh')];
    const sealed = seal(mine, 'the reply');
    assert.equal(unseal(mine, sealed), 'the reply');
    assert.throws(() => unseal(other, sealed));
    assert.ok(!sealed.includes('the reply'));
    assert.equal(hashOf(mine).length, 32);
  });
});
