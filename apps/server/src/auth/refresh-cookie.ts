// The cookie that holds the refresh token of a login in a browser. No script can read it, and it goes only to the routes of
// authentication.

import { AppError } from '@pilothouse/contract';
import type { SentRequest } from '../http/call.ts';

const path = '/api/auth';
/** More of one name are not read. */
const maxCookies = 8;

export type CookieSite = {
  /** Browsers share cookies between the ports of a host: two servers on one machine would replace each other's. */
  name: string;
  isSecure: boolean;
};

/**
 * The site that the page of a request belongs to. Throws if the page is of another origin: the browser would add the cookie
 * for a page of the same site, such as one on another port or another subdomain.
 */
export function cookieSiteOf({ headers, host, protocol }: SentRequest): CookieSite {
  const fetchSite = headers['sec-fetch-site'];
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') throw foreignPage;
  const origin = headers.origin;
  // A proxy that we do not trust may have ended TLS: then only the origin shows it.
  const allowed = protocol === 'https' ? [`https://${host}`] : [`http://${host}`, `https://${host}`];
  if (origin !== undefined && !allowed.includes(origin.toLowerCase())) throw foreignPage;
  const port = /:(\d+)$/.exec(host)?.[1];
  return {
    name: port ? `pilothouse_refresh_${port}` : 'pilothouse_refresh',
    isSecure: protocol === 'https' || (origin?.startsWith('https:') ?? false),
  };
}

/** The token in the cookie; undefined if there is none. Two cookies of the name mean that another site has set one. */
export function readRefreshCookie(request: SentRequest, site: CookieSite): string | undefined {
  const values = readRefreshCookies(request, site);
  if (values.length > 1) throw new AppError('token_invalid', { detail: 'There are two cookies of the same name.' });
  return values[0] || undefined;
}

/** The tokens in all cookies of the name, for a login that ends: it must not stay because another site has set one too. */
export const readRefreshCookies = ({ headers }: SentRequest, { name }: CookieSite): string[] =>
  (headers.cookie ?? '')
    .split(';')
    .flatMap((pair) => {
      const [key = '', ...value] = pair.split('=');
      return key.trim() === name ? [value.join('=').trim()] : [];
    })
    .slice(0, maxCookies);

export const setRefreshCookie = (token: string, site: CookieSite, maxAgeSecs: number): string =>
  cookieText(token, site, maxAgeSecs);

export const clearRefreshCookie = (site: CookieSite): string => cookieText('', site, 0);

const cookieText = (value: string, { name, isSecure }: CookieSite, maxAgeSecs: number) =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeSecs}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;

const foreignPage = new AppError('validation_failed', { detail: 'Pages of other origins cannot use this login.' });
