// A fetch with cookies as a browser keeps them: by path, HttpOnly, replaced by name. One jar is one browser.

type Cookie = { value: string; path: string; attributes: string };

export function createCookieJar(origin: string) {
  const cookies = new Map<string, Cookie>();
  const take = (text: string) => {
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split('=');
    const path = attributes.find((one) => one.startsWith('Path='))?.slice(5) ?? '/';
    if (attributes.includes('Max-Age=0')) cookies.delete(name);
    else cookies.set(name, { value, path, attributes: attributes.join('; ') });
  };
  const headerFor = (path: string) =>
    [...cookies]
      .filter(([, cookie]) => path === cookie.path || path.startsWith(`${cookie.path}/`))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');

  const jarFetch: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    const cookie = headerFor(new URL(String(input)).pathname);
    if (cookie) headers.set('cookie', cookie);
    if (init?.method === 'POST') headers.set('origin', origin);
    headers.set('sec-fetch-site', 'same-origin');
    const response = await fetch(input, { ...init, headers });
    for (const text of response.headers.getSetCookie()) take(text);
    return response;
  };
  return {
    fetch: jarFetch,
    headerFor,
    /** The only cookie. */
    soleCookie: () => [...cookies.values()][0],
    names: () => [...cookies.keys()],
    /** Puts an older cookie back. */
    put: (name: string, cookie: Cookie) => void cookies.set(name, cookie),
  };
}
