import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AddressKind, kindOfAddress } from './addresses.ts';

/** The edges of each range and something from within it; what lies just outside is in the rows of its neighbours. */
const table: Record<AddressKind, string[]> = {
  public: [
    ...['1.0.0.0', '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.216.34', '223.255.255.255'],
    ...['100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0'],
    ...['172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0'],
    ...['198.17.255.255', '198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0'],
    ...['168.63.129.15', '168.63.129.17'],
    ...['2606:4700:4700::1111', '2001:4860:4860::8888', '2000::', '2001:200::', '2001:db7:ffff::', '2001:db9::'],
    ...['2003::', '3fff:1000::', '2a00:1450:4001:81b::200e'],
    ...['::ffff:8.8.8.8', '::ffff:808:808', '0:0:0:0:0:ffff:8.8.8.8', '64:ff9b::8.8.8.8', '64:ff9b::808:808'],
  ],
  unspecified: ['0.0.0.0', '0.0.0.1', '0.255.255.255', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '64:ff9b::'],
  loopback: [
    ...['127.0.0.0', '127.0.0.1', '127.0.1.1', '127.1.2.3', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
    ...['::ffff:127.0.0.1', '::FFFF:7f00:1', '0000:0000:0000:0000:0000:ffff:7f00:0001', '64:ff9b::127.0.0.1'],
  ],
  private: [
    ...['10.0.0.0', '10.1.2.3', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ...['fc00::', 'fdff:ffff::1', 'fec0::1', 'feff::1', '::ffff:10.0.0.1', '::ffff:c0a8:101', '64:ff9b::ac10:1'],
  ],
  link_local: ['169.254.0.0', '169.254.255.255', 'fe80::', 'fe80::1', 'febf:ffff::1', '::ffff:169.254.1.1'],
  shared: ['100.64.0.0', '100.100.1.1', '100.127.255.255', '::ffff:100.64.0.1'],
  multicast: ['224.0.0.0', '224.0.0.251', '239.255.255.255', 'ff00::', 'ff02::1', 'ff0e::1', '::ffff:224.0.0.1'],
  reserved: [
    ...['192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255', '192.88.99.1', '198.18.0.0', '198.19.255.255'],
    ...['198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255', '240.0.0.0', '255.255.255.255'],
    // Teredo, benchmarking, ORCHID, documentation, and 6to4 whatever it leads to.
    ...['2001::1', '2001:0:7f00:1::', '2001:2::1', '2001:10::1', '2001:20::1', '2001:1ff:ffff::', '2001:db8::1'],
    ...['2002::', '2002:7f00:1::', '2002:a00:1::', '2002:808:808::', '3fff::1', '3fff:fff:ffff::'],
    // Forms that nobody routes: IPv4-compatible, translated, local translation, segments, discard, the unassigned.
    ...[
      '::127.0.0.1',
      '::8.8.8.8',
      '::2',
      '::ffff:0:127.0.0.1',
      '64:ff9b:1::7f00:1',
      '5f00::1',
      '100::1',
      '100:0:0:1::',
    ],
    ...['1fff:ffff::', '4000::', '8000::1', 'fbff::1', 'fe00::1', '::ffff:255.255.255.255', '::ffff:198.51.100.7'],
  ],
  metadata: [
    ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23', '100.100.100.200', '192.0.0.192'],
    ...['168.63.129.16', 'fd00:ec2::254', 'fd00:0ec2:0:0:0:0:0:254', 'fd00:ec2::23', 'fd20:ce::254', 'fe80::a9fe:a9fe'],
    ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::a9fe:a9fe', '::ffff:168.63.129.16'],
  ],
  own: ['81.2.69.160', '::ffff:81.2.69.160', '64:ff9b::5102:45a0', '2a01:4f8::7', '2a01:04f8:0:0:0:0:0:0007'],
  malformed: [
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '256.0.0.1',
    '1.2.3',
    '[::1]',
    'fe80::1%eth0',
    '2606::1%2',
    '8.8.8.8 ',
  ],
};
const own = ['81.2.69.160', '2a01:4f8::7', 'fe80::5%eth0'];

for (const [kind, addresses] of Object.entries(table)) {
  test(`${addresses.length} addresses are ${kind}`, () => {
    const found = addresses.map((address) => [address, kindOfAddress(address, own)]);
    assert.deepEqual(
      found,
      addresses.map((address) => [address, kind]),
    );
  });
}

test('an address of this machine is public to every other', () => {
  assert.equal(kindOfAddress('81.2.69.160'), 'public');
  assert.equal(kindOfAddress('2a01:4f8::7'), 'public');
});

test('no IPv4 address of a closed block is public, whatever its last bytes', () => {
  const closed = ['0', '10', '127', ...Array.from({ length: 32 }, (_, i) => `${224 + i}`)];
  for (const first of closed)
    for (const second of [0, 1, 127, 255])
      assert.notEqual(kindOfAddress(`${first}.${second}.${second}.7`), 'public', `${first}.${second}`);
});
