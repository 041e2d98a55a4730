// The hubs of live streams: events, frames, the number of viewers, and inboxes.

import type { Bus } from '@pilothouse/bus';
import type { BrowserHold, HostClient } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Registry } from 'prom-client';
import { createEventHub } from './event-hub.ts';
import { createFrameHub } from './frame-hub.ts';
import { createInboxHub } from './inbox-hub.ts';
import { createViewerCount } from './viewer-count.ts';

type Options = {
  store: Store;
  bus: Bus;
  hosts: HostClient;
  log: Log;
  metrics: Registry;
  onSilent: (hold: BrowserHold) => void;
};

export function createLive({ store, bus, hosts, log, metrics, onSilent }: Options) {
  const events = createEventHub({ store, bus, log, metrics });
  const frames = createFrameHub({ store, bus, hosts, log, onSilent });
  const viewers = createViewerCount({ store, log });
  const inboxes = createInboxHub({ store, log, metrics });
  return {
    events,
    frames,
    viewers,
    inboxes,
    async close() {
      events.close();
      frames.close();
      inboxes.close();
      await viewers.close();
    },
  };
}
