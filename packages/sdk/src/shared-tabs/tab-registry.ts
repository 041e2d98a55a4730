// The tabs of a browser, in the worker that they share: what several tabs follow is requested once.

import type { Locks } from '../common/tab-lock.ts';
import type { Port } from './messages.ts';
import { createSharedBundle, type SharedBundle } from './shared-bundle.ts';
import { connectTab } from './tab-connection.ts';
import { createTurns, type Turns } from './turns.ts';

type Options = {
  fetch: typeof fetch;
  /** Show at once that a tab is gone; without locks, missing answers to pings show it. */
  locks: Locks | undefined;
  pingMs?: number;
  turnMs?: number;
};

/** Of the six connections that a browser opens to one server; the others are for plain requests. */
const maxResponses = 4;

export function createTabRegistry({ fetch, locks, pingMs = 10_000, turnMs = 5000 }: Options) {
  const bundles = new Map<string, SharedBundle>();
  const turnsByServer = new Map<string, Turns>();

  function bundleOf(baseUrl: string, login: string): SharedBundle {
    const key = JSON.stringify([baseUrl, login]);
    const turns = turnsByServer.get(baseUrl) ?? createTurns({ places: maxResponses, turnMs });
    turnsByServer.set(baseUrl, turns);
    const onEmpty = () => bundles.delete(key);
    const bundle = bundles.get(key) ?? createSharedBundle({ baseUrl, login, turns, turnMs, fetch, onEmpty });
    bundles.set(key, bundle);
    return bundle;
  }

  return { connect: (port: Port): void => connectTab(port, { locks, pingMs, bundleOf }) };
}
