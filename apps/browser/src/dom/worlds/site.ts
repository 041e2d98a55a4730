// Which documents belong together, and how a frame is named from outside.

/** What a document without an origin of its own, such as one in a sandbox, says it is. */
const opaque = 'null';

/**
 * The site of an origin: scheme and registered domain, whatever the port. Undefined where it is of no site.
 * `domains` has the registered domain of each host; a host without one, such as an address, is a site by itself.
 */
export function siteOf(origin: string, domains: ReadonlyMap<string, string>): string | undefined {
  const url = origin === opaque ? null : URL.parse(origin);
  return url ? `${url.protocol}//${domains.get(url.hostname) || url.hostname}` : undefined;
}

/** Who served a document: its origin, or its address where a sandbox took the origin from it. */
export function fromOf(origin: string, address: string): URL | undefined {
  const url = URL.parse(origin === opaque ? address : origin);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** What a step calls a frame: where its document comes from, which cannot be imitated, or a title, which can. */
export type FrameName = { text: string; from: { isOf(url: URL): boolean } | undefined; mayBeTitle: boolean };

export function readFrameName(text: string): FrameName {
  const name = text.trim();
  const origin = /^https?:\/\//i.test(name) ? URL.parse(name)?.origin : undefined;
  if (origin) return { text, from: { isOf: (url) => url.origin === origin }, mayBeTitle: false };
  // Only what can be nothing but a host and a port.
  const url = /^[^\s/?#@\\]+$/.test(name) ? URL.parse(`http://${name}`) : null;
  if (!url || url.username) return { text, from: undefined, mayBeTitle: true };
  const { hostname } = url;
  const port = /:(\d+)$/.exec(name)?.[1];
  const isOf = (one: URL) => one.hostname === hostname && (port === undefined || portOf(one) === Number(port));
  // One word may be a title as well.
  const isHost = /[.[]/.test(name) || hostname === 'localhost' || port !== undefined;
  return { text, from: { isOf }, mayBeTitle: !isHost };
}

const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80));
