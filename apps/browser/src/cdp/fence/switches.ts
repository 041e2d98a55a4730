// What a guest has switched on that would stand in the way of another driver: requests that wait for it, a network that is
// cut off, drags that it gets instead of the page. It is off while another drives, and as it was afterwards.

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
  'Emulation.setGeolocationOverride': { off: { method: 'Emulation.clearGeolocationOverride' }, isOff: () => false },
};

/** Commands that only switch off, by the one that switches on. */
const offs: Record<string, string> = {
  'Fetch.disable': 'Fetch.enable',
  'Emulation.clearGeolocationOverride': 'Emulation.setGeolocationOverride',
};

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
      const switchedOff = offs[method] ?? (way?.isOff(params) ? method : undefined);
      if (switchedOff !== undefined) sessions.get(sessionId)?.delete(switchedOff);
      else if (way) sessions.set(sessionId, (sessions.get(sessionId) ?? new Map()).set(method, params));
    },
    forget: (sessionId) => void sessions.delete(sessionId),
    off: () => each((method) => ways[method]?.off ?? { method }),
    on: () => each((method, params) => ({ method, params })),
  };
}
