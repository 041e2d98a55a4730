// Which addresses belong to the public internet. Everything else is private: this machine, its network, its
// cloud. IPv6 is judged by what is public and IPv4 by what is not, because that is how each of them was given out.

import { BlockList, isIP } from 'node:net';

const closedKinds = [
  'unspecified',
  'private',
  'loopback',
  'link_local',
  'shared',
  'multicast',
  'reserved',
  'metadata',
  'own',
  'malformed',
] as const;
export type AddressKind = 'public' | (typeof closedKinds)[number];
/** What is counted of each, as the reason of a refusal. */
export const closedReasons = closedKinds.map((kind) => `${kind}_address` as const);

/** In order: the first that holds an address names it. */
const special: readonly (readonly [AddressKind, readonly string[]])[] = [
  // Clouds answer questions about their machines here. Most lie in ranges that are closed anyway; one is a public one.
  [
    'metadata',
    [
      '169.254.169.254/32',
      '169.254.170.2/32',
      '169.254.170.23/32',
      '169.254.0.23/32',
      '100.100.100.200/32',
      '192.0.0.192/32',
      '168.63.129.16/32',
      'fd00:ec2::254/128',
      'fd00:ec2::23/128',
      'fd20:ce::254/128',
      'fe80::a9fe:a9fe/128',
    ],
  ],
  ['unspecified', ['0.0.0.0/8', '::/128']],
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10']],
  ['link_local', ['169.254.0.0/16', 'fe80::/10']],
  ['shared', ['100.64.0.0/10']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  [
    'reserved',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
      // Protocol assignments, Teredo, ORCHID and benchmarking; documentation; 6to4.
      '2001::/23',
      '2001:db8::/32',
      '2002::/16',
      '3fff::/20',
    ],
  ],
];

const ranges = special.map(([kind, subnets]) => ({ kind, list: listOf(subnets) }));
const globalUnicast = listOf(['2000::/3']);

/**
 * What kind of address this is, given in any form `net.isIP` knows. An IPv6 address that stands for an IPv4 one is
 * judged as that one: the packet ends there.
 */
export function kindOfAddress(address: string, own: readonly string[] = []): AddressKind {
  const family = isIP(address);
  // A zone names an interface of this machine.
  if (family === 0 || address.includes('%')) return 'malformed';
  const inner = family === 6 ? embeddedIpv4(address) : undefined;
  if (inner !== undefined) return kindOfAddress(inner, own);
  const kind = ranges.find(({ list }) => holds(list, address))?.kind;
  if (kind) return kind;
  if (isOneOf(own, address)) return 'own';
  return family === 4 || holds(globalUnicast, address) ? 'public' : 'reserved';
}

function isOneOf(own: readonly string[], address: string): boolean {
  const canonical = canonicalAddress(address);
  return own.some((one) => canonicalAddress(one) === canonical);
}

/** One spelling for each address, without zone or brackets. */
function canonicalAddress(address: string): string {
  const bare = address.split('%')[0] ?? '';
  return isIP(bare) === 6 ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare;
}

/** The IPv4 address within one that is mapped (::ffff:a.b.c.d) or translated (64:ff9b::a.b.c.d). */
function embeddedIpv4(address: string): string | undefined {
  const groups = groupsOf(canonicalAddress(address));
  if (!embedding.has(groups.slice(0, 6).join(':'))) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const embedding = new Set(['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0'].map((prefix) => groupsOf(prefix).join(':')));

/** The eight numbers of a canonical IPv6 address. */
function groupsOf(canonical: string): number[] {
  const numbers = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [left = '', right] = canonical.split('::');
  const before = numbers(left);
  if (right === undefined) return before;
  const after = numbers(right);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function listOf(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

const holds = (list: BlockList, address: string) => list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
