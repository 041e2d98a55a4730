// Where a session may go, as far as that can be said before anything is sent.

import { isIP } from 'node:net';
import { type AddressKind, kindOfAddress } from './addresses.ts';

export type RefusalReason =
  /** Neither http nor https, or not an address at all. */
  | 'scheme'
  | 'malformed'
  | 'denied_domain'
  | 'not_allowed_domain'
  /** Too many refusals to report singly. */
  | 'too_many'
  /** One address of the name is of this kind; then none of them is used. */
  | `${Exclude<AddressKind, 'public'>}_address`;

export type Target = { host: string; port: number };

/** Names of domains: each covers all below it, and `*.` before one leaves out the name itself. */
export type DomainLists = { allow?: readonly string[] | undefined; deny?: readonly string[] | undefined };

export type Policy = {
  /** What speaks against a target by its name alone. */
  judgeName(target: Target): RefusalReason | undefined;
  /** What speaks against any of the addresses of a target's name. */
  judgeAddresses(addresses: readonly string[], port: number): RefusalReason | undefined;
};

export type PolicyOptions = DomainLists & {
  /** Ports of 127.0.0.1 and ::1 that are open all the same, for sites under test. */
  allowLoopbackPorts: Pick<ReadonlySet<number>, 'has'>;
  ownAddresses: () => readonly string[];
};

export function createPolicy({ allow, deny, allowLoopbackPorts, ownAddresses }: PolicyOptions): Policy {
  const denied = matcherOf(deny ?? [], (domain) => {
    // Half a rule would be read as a narrower one than was meant.
    throw new Error(`not a domain: ${domain}`);
  });
  // An entry that is no domain allows nothing.
  const allowed = allow && matcherOf(allow, () => []);
  return {
    judgeName({ host }) {
      if (denied(host)) return 'denied_domain';
      if (allowed && !allowed(host)) return 'not_allowed_domain';
      return undefined;
    },
    judgeAddresses(addresses, port) {
      const own = ownAddresses();
      for (const address of addresses) {
        const kind = kindOfAddress(address, own);
        if (kind === 'public') continue;
        if (openLoopback.has(address) && allowLoopbackPorts.has(port)) continue;
        return `${kind}_address`;
      }
      return undefined;
    },
  };
}

/** Not all of 127.0.0.0/8: an open port for a test means these. */
const openLoopback = new Set(['127.0.0.1', '::1']);

function matcherOf(domains: readonly string[], unreadable: (domain: string) => never[]): (host: string) => boolean {
  const rules = domains.flatMap((domain) => {
    const isBelow = domain.startsWith('*.');
    const name = canonicalHost(isBelow ? domain.slice(2) : domain);
    return name === undefined ? unreadable(domain) : { name, isBelow };
  });
  return (host) =>
    rules.some(({ name, isBelow }) => (!isBelow && host === name) || (!isIP(name) && host.endsWith(`.${name}`)));
}

/** `host:port` of a request line, or undefined if it is not one. */
export function targetOf(hostAndPort: string): Target | undefined {
  const [, name = '', port = ''] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(hostAndPort) ?? [];
  const host = canonicalHost(name);
  const number = Number(port);
  return host === undefined || number < 1 || number > 65_535 ? undefined : { host, port: number };
}

/**
 * The one spelling of a host, as browsers read it: 127.1, 0x7f000001 and fullwidth digits become addresses, letters
 * small, the brackets of IPv6 and the dot at the end go.
 */
export function canonicalHost(host: string): string | undefined {
  // An URL may hold more than a host, and so may what pretends to be one.
  if (/[/?#@\\\s]|^[^[].*:/.test(host)) return undefined;
  const name = URL.parse(`http://${host}/`)
    ?.hostname.replace(/^\[|\]$/g, '')
    .replace(/\.+$/, '');
  // A dot at the end of an address made it a name for some, an address for others.
  const again = name && !isIP(name) ? URL.parse(`http://${name}/`)?.hostname : name;
  return again && /^[a-z0-9._:-]+$/.test(again) && !again.startsWith('.') ? again : undefined;
}
