import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ActClass, actClasses, type Mode, modes, type Rules, strictestOf, verdictOn } from './index.ts';

const rules = (more: Partial<Rules> = {}): Rules => ({ mode: 'standard', allow: [], deny: [], read_only: [], ...more });
const act = (name: ActClass) => ({ class: name, why: 'it does it' });
const shop = ['https://shop.example'];

describe('the verdict on an act', () => {
  const asked: Record<Mode, ActClass[]> = {
    free: [],
    standard: ['upload', 'commit'],
    careful: ['submit', 'dialog', 'download', 'upload', 'credential', 'commit'],
    watch: ['submit', 'dialog', 'download', 'upload', 'credential', 'commit'],
  };
  for (const mode of modes)
    it(`in the mode ${mode} asks for ${asked[mode].join(', ') || 'nothing'}`, () =>
      assert.deepEqual(
        actClasses.filter((name) => verdictOn(act(name), shop, rules({ mode })).outcome === 'ask'),
        asked[mode],
      ));

  const cases: [what: string, given: Partial<Rules>, name: ActClass, origins: string[], outcome: string][] = [
    ['a host that is refused', { deny: ['shop.example'] }, 'read', shop, 'deny'],
    ['one below it', { deny: ['example'] }, 'read', shop, 'deny'],
    ['one that only ends like it', { deny: ['op.example'] }, 'read', shop, 'allow'],
    ['a host that is not allowed', { allow: ['bank.example'] }, 'read', shop, 'deny'],
    ['a frame of another host', { allow: ['shop.example'] }, 'write', [...shop, 'https://ads.example'], 'deny'],
    ['an allowed host', { allow: ['shop.example'] }, 'write', shop, 'allow'],
    ['a change where one may only read', { read_only: ['shop.example'] }, 'write', shop, 'deny'],
    ['a look where one may only read', { read_only: ['shop.example'] }, 'move', shop, 'allow'],
    ['refused comes before allowed', { allow: ['shop.example'], deny: ['shop.example'] }, 'read', shop, 'deny'],
    ['refused comes before a yes', { deny: ['shop.example'] }, 'commit', shop, 'deny'],
    ['free of yes, but not of lists', { mode: 'free', read_only: ['shop.example'] }, 'commit', shop, 'deny'],
    ['a page without a host', { allow: ['shop.example'] }, 'read', ['about:blank'], 'allow'],
  ];
  for (const [what, given, name, origins, outcome] of cases)
    it(`${outcome}: ${what}`, () => {
      const verdict = verdictOn(act(name), origins, rules(given));
      assert.equal(verdict.outcome, outcome);
      assert.match(verdict.sentence, /^[A-Za-z].*\.$/);
    });
});

describe('rules of installation, user and task together', () => {
  it('are the strictest of each', () => {
    const all = [
      rules({ mode: 'careful', allow: ['example'], deny: ['ads.example'] }),
      rules({ mode: 'free', allow: ['shop.example', 'other.test'], read_only: ['bank.example'] }),
    ];
    for (const given of [all, all.toReversed()]) {
      const { mode, allow, deny, read_only } = strictestOf(given);
      assert.deepEqual(
        [mode, allow, deny, read_only],
        ['careful', ['shop.example'], ['ads.example'], ['bank.example']],
      );
    }
  });

  it('allow nothing where the lists have no host in common', () => {
    const both = strictestOf([rules({ allow: ['one.example'] }), rules({ allow: ['two.example'] })]);
    for (const origin of ['https://one.example', 'https://two.example'])
      assert.equal(verdictOn(act('read'), [origin], both).outcome, 'deny');
  });

  it('are standard where nobody gave any', () => assert.deepEqual(strictestOf([]), rules()));
});
