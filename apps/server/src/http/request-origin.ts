// Refuses requests that a page of another origin makes a browser send, on every route.

import { AppError } from '@pilothouse/contract';
import type { FastifyRequest } from 'fastify';
import { isLoopback } from './loopback.ts';

type Options = {
  isAuthDisabled: boolean;
  /** With authentication disabled: whether requests may name any host, and not only this machine. */
  isOpenToAll: boolean;
  /** The names that the server answers to; any if it is empty. */
  allowedHosts: string[];
};

/**
 * A page can rebind its own name to our address; to the browser it is then of the same origin, and only the Host shows it.
 * Without authentication nothing else protects our browsers from that page.
 */
export function createOriginCheck({ isAuthDisabled, isOpenToAll, allowedHosts }: Options) {
  const names = new Set(allowedHosts.map((name) => name.toLowerCase()));
  const isNamed = (host: string) => isLoopback(host) || names.has(host);
  const isOurs = (host: string) => {
    if (isAuthDisabled && !isOpenToAll) return isNamed(host);
    // An address cannot be rebound.
    return names.size === 0 || isNamed(host) || isAddress(host);
  };

  return ({ headers, routeOptions }: Pick<FastifyRequest, 'headers' | 'routeOptions'>): AppError | undefined => {
    const { host, origin } = headers;
    // The pattern, not the address: `/%61pi` is the same route.
    const url = routeOptions.url ?? '';
    if (host !== undefined && !hostSpelling.test(host)) return oddHost;
    if (!isOurs(nameOf(host ?? ''))) return isAuthDisabled ? strangeHostWithoutAuth : strangeHost;
    // A page has no business there, with authentication or without: a model or a browser would act on what the page sends.
    if (isForPrograms(url) && (origin === undefined ? isCrossSite(headers) : !isOwnOrigin(origin, host)))
      return strangeProgramOrigin;
    if (!isApi(url)) return undefined;
    // Browsers send it, and no page can change it; programs do not send it.
    if (isCrossSite(headers)) return crossSite;
    if (isAuthDisabled && origin !== undefined && !isOwnOrigin(origin, host)) return strangeOrigin;
    return undefined;
  };
}

/** A name or an address, with a port or without. */
const hostSpelling = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,253})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;
const nameOf = (host: string) => host.replace(/:\d+$/, '').toLowerCase();
const isAddress = (host: string) => host.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);
const isApi = (url: string) => /^\/api(?:[/?]|$)/.test(url);
const isForPrograms = (url: string) => /^\/(?:mcp|cdp)(?:[/?]|$)/.test(url);
const isCrossSite = (headers: FastifyRequest['headers']) => headers['sec-fetch-site'] === 'cross-site';
const isOwnOrigin = (origin: string, host: string | undefined) => URL.canParse(origin) && new URL(origin).host === host;

const oddHost = new AppError('validation_failed', { detail: 'The Host is not a name or an address.' });
const strangeHost = new AppError('validation_failed', { detail: 'This server does not answer to that Host.' });
const strangeHostWithoutAuth = new AppError('validation_failed', {
  detail: 'Authentication is disabled, so only requests addressed to this machine by name are taken.',
});
const strangeOrigin = new AppError('validation_failed', {
  detail: 'Authentication is disabled, so requests from pages of other origins are not taken.',
});
const strangeProgramOrigin = new AppError('forbidden', {
  detail: 'Pages of other origins cannot use what is for programs.',
});
const crossSite = new AppError('validation_failed', { detail: 'Requests from pages of other sites are not taken.' });
