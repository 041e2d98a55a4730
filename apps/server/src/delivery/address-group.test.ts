import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressGroupOf } from './address-group.ts';

it('an IPv4 address counts for itself, an IPv6 address for its network', () => {
  const groups = {
    '192.0.2.7': '192.0.2.7',
    '::ffff:192.0.2.7': '192.0.2.7',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:0db8:1:2::9': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '::1': '0:0:0:0::/64',
  };
  for (const [address, group] of Object.entries(groups)) assert.equal(addressGroupOf(address), group, address);
});
