import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalHost, createPolicy, type DomainLists, type RefusalReason, targetOf } from './domains.ts';

const policyOf = (lists: DomainLists, ports: number[] = []) =>
  createPolicy({ ...lists, allowLoopbackPorts: new Set(ports), ownAddresses: () => ['81.2.69.160'] });

const names: { lists: DomainLists; passes: string[]; refused?: Record<string, RefusalReason> }[] = [
  { lists: {}, passes: ['example.com', '8.8.8.8', 'a.b.c'] },
  {
    lists: { allow: ['example.com', '*.Below.test', '8.8.8.8', 'bücher.de'] },
    passes: ['example.com', 'www.example.com', 'a.b.example.com', 'x.below.test', '8.8.8.8', 'xn--bcher-kva.de'],
    refused: {
      'below.test': 'not_allowed_domain',
      'notexample.com': 'not_allowed_domain',
      'example.com.evil.test': 'not_allowed_domain',
      'example.org': 'not_allowed_domain',
      '8.8.8.9': 'not_allowed_domain',
      '1.8.8.8.8': 'not_allowed_domain',
    },
  },
  { lists: { allow: [] }, passes: [], refused: { 'example.com': 'not_allowed_domain' } },
  {
    lists: { deny: ['example.com', '*.below.test'] },
    passes: ['example.org', 'below.test', 'myexample.com'],
    refused: { 'example.com': 'denied_domain', 'www.example.com': 'denied_domain', 'x.below.test': 'denied_domain' },
  },
  {
    lists: { allow: ['example.com'], deny: ['mail.example.com'] },
    passes: ['example.com', 'www.example.com'],
    refused: { 'mail.example.com': 'denied_domain', 'a.mail.example.com': 'denied_domain' },
  },
];

for (const { lists, passes, refused = {} } of names) {
  test(`lists ${JSON.stringify(lists)} mean what they say`, () => {
    const policy = policyOf(lists);
    for (const host of passes) assert.equal(policy.judgeName({ host, port: 443 }), undefined, host);
    for (const [host, reason] of Object.entries(refused))
      assert.equal(policy.judgeName({ host, port: 443 }), reason, host);
  });
}

test('a list that cannot be understood is not taken', () => {
  for (const domain of ['', '*', '*.', 'a b', 'http://a', 'a/b', 'a:80', 'u@a', '300.1.1.1'])
    assert.throws(() => policyOf({ deny: [domain] }), /not a domain/, domain);
});

test('a name that nobody can have allows nobody anything', () => {
  const policy = policyOf({ allow: ['example.1', 'example.com'] });
  assert.equal(policy.judgeName({ host: 'example.com', port: 443 }), undefined);
  assert.equal(policy.judgeName({ host: 'example.org', port: 443 }), 'not_allowed_domain');
  assert.equal(policyOf({ allow: ['example.1'] }).judgeName({ host: 'a', port: 443 }), 'not_allowed_domain');
});

test('one address that is not public closes the name', () => {
  const { judgeAddresses } = policyOf({});
  assert.equal(judgeAddresses(['93.184.216.34', '2606:4700::1111'], 443), undefined);
  assert.equal(judgeAddresses(['93.184.216.34', '10.0.0.1'], 443), 'private_address');
  assert.equal(judgeAddresses(['2606:4700::1111', '::1'], 443), 'loopback_address');
  assert.equal(judgeAddresses(['93.184.216.34', '169.254.169.254'], 80), 'metadata_address');
  assert.equal(judgeAddresses(['81.2.69.160'], 80), 'own_address');
  assert.equal(judgeAddresses(['nonsense'], 80), 'malformed_address');
});

test('a loopback port is open at 127.0.0.1 and ::1 and nowhere else', () => {
  const { judgeAddresses } = policyOf({}, [4980]);
  assert.equal(judgeAddresses(['127.0.0.1', '::1'], 4980), undefined);
  assert.equal(judgeAddresses(['127.0.0.1'], 4981), 'loopback_address');
  assert.equal(judgeAddresses(['127.0.0.2'], 4980), 'loopback_address');
  assert.equal(judgeAddresses(['::ffff:127.0.0.1'], 4980), 'loopback_address');
  assert.equal(judgeAddresses(['0.0.0.0'], 4980), 'unspecified_address');
  assert.equal(judgeAddresses(['127.0.0.1', '10.0.0.1'], 4980), 'private_address');
  assert.equal(judgeAddresses(['10.0.0.1'], 4980), 'private_address');
});

const hosts: Record<string, string | undefined> = {
  'Example.COM': 'example.com',
  'example.com.': 'example.com',
  'example.com..': 'example.com',
  'ex%61mple.com': 'example.com',
  'bücher.de': 'xn--bcher-kva.de',
  a_b: 'a_b',
  '127.1': '127.0.0.1',
  '127.0.0.1.': '127.0.0.1',
  '127.0.0.1..': '127.0.0.1',
  '0x7f.1': '127.0.0.1',
  '0177.0.0.01': '127.0.0.1',
  '2130706433': '127.0.0.1',
  '１２７.0.0.1': '127.0.0.1',
  '127。0。0。1': '127.0.0.1',
  '[::1]': '::1',
  '[::FFFF:127.0.0.1]': '::ffff:7f00:1',
  '0': '0.0.0.0',
  '': undefined,
  '.': undefined,
  '::1': undefined,
  '[::1': undefined,
  '[fe80::1%25lo]': undefined,
  '256.1.1.1': undefined,
  'a b': undefined,
  'a@b': undefined,
  'a/b': undefined,
  'a\\b': undefined,
  'a:1': undefined,
  'a\0b': undefined,
};

test('a host has one spelling', () => {
  for (const [given, expected] of Object.entries(hosts)) assert.equal(canonicalHost(given), expected, given);
});

test('a target is a host and a port, and nothing else', () => {
  assert.deepEqual(targetOf('Example.com:443'), { host: 'example.com', port: 443 });
  assert.deepEqual(targetOf('[::1]:80'), { host: '::1', port: 80 });
  for (const given of ['', 'a', 'a:', ':80', 'a:0', 'a:65536', 'a:80:80', 'u@a:80', 'a:80/', 'a:-1', 'a: 80', '::1:80'])
    assert.equal(targetOf(given), undefined, given);
});
