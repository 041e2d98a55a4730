// Which addresses a driver may open.

const openable = new Set(['http:', 'https:', 'data:', 'blob:']);

/** Addresses of the web. Chromium would also open files of this machine and pages of its own. */
export function isOpenable(url: string): boolean {
  return url === 'about:blank' || openable.has(URL.parse(url)?.protocol ?? '');
}
