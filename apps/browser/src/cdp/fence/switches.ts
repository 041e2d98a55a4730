// What a guest has switched on that would stand in the way of another driver: requests that wait for it, a network that is
// cut off, headers and names of its own, drags that it gets instead of the page. It is off while another drives, and as it was
// afterwards. A command that leaves something behind has to be here, or in a list of the tests that says why it may.

import type { Command } from '../multiplexer.ts';

type Params = Record<string, unknown>;

/** By the command that switches it on: what switches it off, and whether these parameters do so already. */
const ways: Record<string, { off: Command; isOff: (params: Params) => boolean }> = {
  'Fetch.enable': { off: { method: 'Fetch.disable' }, isOff: () => false },
  'Input.setInterceptDrags': {
    off: { method: 'Input.setInterceptDrags', params: { enabled: false } },
    isOff: ({ enabled }) => enabled !== true,
  },
  'Network.emulateNetworkConditions': {
    off: {
      method: 'Network.emulateNetworkConditions',
      params: { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
    },
    isOff: ({ offline, latency, downloadThroughput: down, uploadThroughput: up }) =>
      offline !== true && latency === 0 && isNone(down) && isNone(up),
  },
  'Network.setBlockedURLs': {
    off: { method: 'Network.setBlockedURLs', params: { urls: [] } },
    isOff: ({ urls, urlPatterns }) => isEmpty(urls) && isEmpty(urlPatterns),
  },
  'Network.emulateNetworkConditionsByRule': {
    off: {
      method: 'Network.emulateNetworkConditionsByRule',
      params: { offline: false, emulateOfflineServiceWorker: false, matchedNetworkConditions: [] },
    },
    isOff: ({ offline, emulateOfflineServiceWorker: isOffline, matchedNetworkConditions: conditions }) =>
      offline !== true && isOffline !== true && isEmpty(conditions),
  },
  'Network.overrideNetworkState': {
    off: {
      method: 'Network.overrideNetworkState',
      params: { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 },
    },
    isOff: ({ offline, latency, downloadThroughput: down, uploadThroughput: up, connectionType }) =>
      offline !== true && latency === 0 && isNone(down) && isNone(up) && connectionType === undefined,
  },
  'Network.setExtraHTTPHeaders': {
    off: { method: 'Network.setExtraHTTPHeaders', params: { headers: {} } },
    isOff: ({ headers }) => typeof headers === 'object' && headers !== null && Object.keys(headers).length === 0,
  },
  'Network.setUserAgentOverride': {
    off: { method: 'Network.setUserAgentOverride', params: { userAgent: '' } },
    isOff: isUsualAgent,
  },
  'Emulation.setUserAgentOverride': {
    off: { method: 'Emulation.setUserAgentOverride', params: { userAgent: '' } },
    isOff: isUsualAgent,
  },
  'Network.setCacheDisabled': {
    off: { method: 'Network.setCacheDisabled', params: { cacheDisabled: false } },
    isOff: ({ cacheDisabled }) => cacheDisabled !== true,
  },
  'Network.setBypassServiceWorker': {
    off: { method: 'Network.setBypassServiceWorker', params: { bypass: false } },
    isOff: ({ bypass }) => bypass !== true,
  },
  'Page.setBypassCSP': {
    off: { method: 'Page.setBypassCSP', params: { enabled: false } },
    isOff: ({ enabled }) => enabled !== true,
  },
  'Page.setPrerenderingAllowed': {
    off: { method: 'Page.setPrerenderingAllowed', params: { isAllowed: true } },
    isOff: ({ isAllowed }) => isAllowed === true,
  },
  'Emulation.setGeolocationOverride': { off: { method: 'Emulation.clearGeolocationOverride' }, isOff: () => false },
  'Page.setGeolocationOverride': { off: { method: 'Page.clearGeolocationOverride' }, isOff: () => false },
};

export const switchedOff = (method: string): boolean => Object.hasOwn(ways, method);

/** Commands that only switch off, by the one that switches on. */
const offs: Record<string, string> = {
  'Fetch.disable': 'Fetch.enable',
  'Emulation.clearGeolocationOverride': 'Emulation.setGeolocationOverride',
  'Page.clearGeolocationOverride': 'Page.setGeolocationOverride',
};

function isUsualAgent({ userAgent, acceptLanguage, platform, userAgentMetadata }: Params): boolean {
  return userAgent === '' && [acceptLanguage, platform, userAgentMetadata].every((one) => one === undefined);
}

/** Of bytes in a second: as many as there come. */
const isNone = (value: unknown): boolean => typeof value === 'number' && value <= 0;
const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

export type Switches = {
  /** A command of the guest that Chromium was given. */
  note(sessionId: string, method: string, params: Params): void;
  forget(sessionId: string): void;
  /** What switches everything off. It stays known. */
  off(): Command[];
  /** What puts it back. */
  on(): Command[];
};

export function createSwitches(): Switches {
  const sessions = new Map<string, Map<string, Params>>();
  const each = (commandOf: (method: string, params: Params) => Command): Command[] =>
    [...sessions].flatMap(([sessionId, all]) =>
      [...all].map(([method, params]) => ({ ...commandOf(method, params), sessionId })),
    );
  return {
    note(sessionId, method, params) {
      const way = ways[method];
      const ended = offs[method] ?? (way?.isOff(params) ? method : undefined);
      const all = sessions.get(sessionId) ?? new Map<string, Params>();
      if (!way && ended === undefined) return;
      // Two of them may be about the same thing: what was said last counts.
      all.delete(ended ?? method);
      if (ended === undefined) sessions.set(sessionId, all.set(method, params));
    },
    forget: (sessionId) => void sessions.delete(sessionId),
    off: () => each((method) => ways[method]?.off ?? { method }),
    on: () => each((method, params) => ({ method, params })),
  };
}
