// The site that a page is of.

export type PageSite = { site: string; origin: string };

/** Undefined for what belongs to no site: a blank page, or the browser's own page about an error. */
export function pageSiteOf(url: string, domain: string): PageSite | undefined {
  const { protocol, hostname, origin } = URL.parse(url.replace(/^blob:/, '')) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  // Some hosts are of no registered domain.
  return { site: `${protocol}//${domain || hostname}`, origin: String(origin) };
}
