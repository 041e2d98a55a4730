import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ActClass, actClasses, policyModes as modes, type PolicyMode } from '@pilothouse/contract';
import { type Rules, rulesFor, type Standing, siteOf, strictestOf, verdictOn } from './index.ts';

const rules = (more: Partial<Rules> = {}): Rules => ({
  mode: 'standard',
  allow: [],
  deny: [],
  read_only: [],
  watch: [],
  ...more,
});
const act = (name: ActClass) => ({ class: name, why: 'it does it' });
const shop = ['https://shop.example'];

describe('the verdict on an act', () => {
  const asked: Record<PolicyMode, ActClass[]> = {
    free: [],
    standard: ['reach', 'upload', 'commit'],
    careful: ['submit', 'dialog', 'reach', 'download', 'upload', 'credential', 'commit'],
    watch: ['submit', 'dialog', 'reach', 'download', 'upload', 'credential', 'commit'],
  };
  for (const mode of modes)
    it(`in the mode ${mode} asks for ${asked[mode].join(', ') || 'nothing'}`, () =>
      assert.deepEqual(
        actClasses.filter((name) => verdictOn(act(name), shop, rules({ mode }), { isWatched: true }).outcome === 'ask'),
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

describe('what a verdict depends on besides the rules', () => {
  const grants = [{ class: 'commit', origin: 'https://shop.example' }] as const;
  const site = 'https://shop.example';
  const cases: [what: string, name: ActClass, given: Partial<Rules>, standing: Standing, outcome: string][] = [
    ['a line that a person wrote is their yes', 'commit', {}, { isGiven: true }, 'allow'],
    ['but not where one is careful', 'commit', { mode: 'careful' }, { isGiven: true }, 'ask'],
    ['nor where one may only read', 'commit', { read_only: ['shop.example'] }, { isGiven: true }, 'deny'],
    ['a class that was granted on this site', 'commit', {}, { grants, site }, 'allow'],
    ['another class', 'upload', {}, { grants, site }, 'ask'],
    ['another site', 'commit', {}, { grants, site: 'https://b.example' }, 'ask'],
    ['a grant does not open what is refused', 'commit', { deny: ['shop.example'] }, { grants, site }, 'deny'],
    ['nobody watches', 'write', { mode: 'watch' }, {}, 'watch'],
    ['a person watches', 'write', { mode: 'watch' }, { isWatched: true }, 'allow'],
    ['a person watches, and is asked all the same', 'commit', { mode: 'watch' }, { isWatched: true }, 'ask'],
    ['looking needs no watcher', 'move', { mode: 'watch' }, {}, 'allow'],
    ['a host that is watched', 'write', { watch: ['shop.example'] }, { isGiven: true }, 'watch'],
    ['a host that is not', 'write', { watch: ['bank.example'] }, {}, 'allow'],
    ['one below a host that is watched', 'write', { watch: ['example'] }, {}, 'watch'],
    ['words that no person gave are sent', 'submit', {}, { isUnsaid: true }, 'ask'],
    ['words that people gave are sent', 'submit', {}, { isUnsaid: false }, 'allow'],
    ['they are only written', 'write', {}, { isUnsaid: true }, 'allow'],
    ['they are sent by a line that a person wrote', 'submit', {}, { isUnsaid: true, isGiven: true }, 'allow'],
    ['they are sent by one that is free', 'submit', { mode: 'free' }, { isUnsaid: true }, 'allow'],
    ['something is sent where a person said no before', 'submit', {}, { isAfterNo: true }, 'ask'],
    ['something is written there', 'write', {}, { isAfterNo: true }, 'allow'],
    ['it is sent by one that is free', 'submit', { mode: 'free' }, { isAfterNo: true }, 'allow'],
    ['it is sent by a line that a person wrote', 'submit', {}, { isAfterNo: true, isGiven: true }, 'allow'],
    [
      'sending was granted',
      'submit',
      {},
      { isUnsaid: true, grants: [{ class: 'submit', origin: site }], site },
      'allow',
    ],
    ['an address that carries much', 'reach', {}, { carriesMuch: true }, 'deny'],
    ['one that carries little', 'reach', {}, { carriesMuch: false }, 'ask'],
    ['one that a page links to', 'move', {}, { carriesMuch: true }, 'allow'],
    ['one that a person wrote', 'reach', {}, { carriesMuch: true, isGiven: true }, 'allow'],
    ['one of a task that is free', 'reach', { mode: 'free' }, { carriesMuch: true }, 'allow'],
    [
      'no yes helps where much is carried',
      'reach',
      {},
      { carriesMuch: true, grants: [{ class: 'reach', origin: site }], site },
      'deny',
    ],
  ];
  for (const [what, name, given, standing, outcome] of cases)
    it(`${outcome}: ${what}`, () => {
      const verdict = verdictOn(act(name), shop, rules(given), standing);
      assert.equal(verdict.outcome, outcome);
      assert.match(verdict.sentence, /^[A-Za-z].*[a-z]\.$/);
    });

  it('says why in a sentence', () => {
    const said = (name: ActClass, given: Partial<Rules>, standing: Standing = {}) =>
      verdictOn(act(name), shop, rules(given), standing).sentence;
    assert.equal(said('commit', {}), 'A person has to say yes, because it does it.');
    assert.equal(
      said('submit', {}, { isUnsaid: true }),
      'A person has to say yes, because it does it with words that no person gave.',
    );
    assert.equal(
      said('submit', {}, { isAfterNo: true }),
      'A person has to say yes, because it does it after a person said no to an act on this site.',
    );
    assert.equal(said('read', {}), 'It needs no yes: it does it.');
    assert.equal(said('commit', {}, { grants, site }), 'A person said yes to this kind on this site: it does it.');
    assert.equal(said('read', { deny: ['shop.example'] }), 'shop.example is on the list of hosts that are refused.');
    assert.equal(said('read', { allow: ['b.example'] }), 'shop.example is not on the list of hosts that are allowed.');
    assert.equal(said('write', { read_only: ['shop.example'] }), 'shop.example may only be read, and it does it.');
    assert.equal(said('write', { mode: 'watch' }), 'It is done only while a person watches, because it does it.');
  });

  it('a yes to a kind holds for one document of one site', () => {
    const page = 'https://shop.example';
    assert.equal(siteOf({ page }), page);
    assert.equal(siteOf({ page, frame: 'https://pay.example' }), 'https://pay.example');
    assert.notEqual(siteOf({ page, frame: 'null' }), siteOf({ page: 'https://b.example', frame: 'null' }));
    assert.equal(siteOf({ page, to: 'https://b.example' }), 'https://b.example');
    assert.equal(siteOf({ page, form: page }), page);
    assert.notEqual(siteOf({ page, form: 'https://evil.example' }), page);
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

  it('are standard where nobody gave any', () => assert.deepEqual(strictestOf([{}, {}]), rules()));

  it('are free only where nobody names anything stricter', () => {
    assert.equal(strictestOf([{}, { mode: 'free' }]).mode, 'free');
    assert.equal(strictestOf([{ mode: 'careful' }, { mode: 'free' }]).mode, 'careful');
  });

  it('hold for a task as the installation, the user and the task say', () => {
    const modeOf = (installation: PolicyMode, user?: PolicyMode, task?: PolicyMode, isAdmin = false) =>
      rulesFor({ installation: { mode: installation }, user: { mode: user }, task: { mode: task }, isAdmin }).mode;
    assert.equal(modeOf('standard'), 'standard');
    assert.equal(modeOf('careful', 'standard', 'standard', true), 'careful');
    assert.equal(modeOf('standard', 'careful', 'standard'), 'careful');
    assert.equal(modeOf('standard', undefined, 'free', true), 'free');
    assert.equal(modeOf('standard', undefined, 'free', false), 'standard');
    assert.equal(modeOf('standard', 'free', undefined, false), 'standard');
    assert.equal(modeOf('careful', undefined, 'free', true), 'careful');
  });

  it('name hosts as addresses do', () =>
    assert.equal(
      verdictOn(act('read'), ['https://xn--bcher-kva.example'], strictestOf([{ deny: ['BÜCHER.example'] }])).outcome,
      'deny',
    ));
});
