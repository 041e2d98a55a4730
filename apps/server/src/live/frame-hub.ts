// Frames to the viewers at this server. Hosts are asked for frames only while a session has viewers.

import type { Bus } from '@pilothouse/bus';
import type { BrowserHold, HostClient } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import type { Lifetime } from './event-hub.ts';
import { type FrameViewer, renewMs, type WatchedSession, watchSession } from './watched-session.ts';

type Options = {
  store: Store;
  bus: Bus;
  hosts: HostClient;
  log: Log;
  /** The host of a browser that has viewers does not answer. */
  onSilent: (hold: BrowserHold) => void;
};

/** Every second renewal reads from the database where the browsers are: changes of that are events, too. */
const renewalsPerRead = 2;

export function createFrameHub({ store, bus, hosts, log, onSilent }: Options) {
  const sessions = new Map<string, WatchedSession>();
  let reads = 0;
  let renewals = 0;

  const warn = (error: unknown, sessionId?: string): void =>
    log.warn({ err: error, session_id: sessionId }, 'could not ask for frames');

  function open(sessionId: string): WatchedSession {
    const session = watchSession(sessionId, {
      bus,
      hosts,
      readBrowser: async () => {
        const read = ++reads;
        return { browser: await store.browsers.of(sessionId), read };
      },
      isOpen: () => sessions.get(sessionId) === session,
      onSilent,
      onError: (error) => warn(error, sessionId),
    });
    sessions.set(sessionId, session);
    return session;
  }
  function close(sessionId: string): void {
    sessions.get(sessionId)?.close();
    sessions.delete(sessionId);
  }

  /** One read for all watched sessions. Hosts are asked to go on whether it succeeds or not. */
  async function renewAll(): Promise<void> {
    if (sessions.size === 0) return;
    renewals += 1;
    if (renewals % renewalsPerRead === 0) {
      const read = ++reads;
      const browsers = await store.browsers.ofAll([...sessions.keys()]).catch((error) => warn(error));
      if (browsers) for (const [sessionId, session] of sessions) session.update(browsers.get(sessionId), read);
    }
    askHosts();
  }
  function askHosts(): void {
    for (const [sessionId, session] of sessions) session.askHost().catch((error) => warn(error, sessionId));
  }
  const timer = setInterval(renewAll, renewMs);
  // What hosts sent meanwhile has gone by: a page that rests sends nothing more by itself.
  const stopHearing = bus.onBack(askHosts);

  return {
    /** Offers every new frame that the viewer may see until the end, beginning with the last one. */
    watch(sessionId: string, viewer: FrameViewer, lifetime: Lifetime): void {
      const session = sessions.get(sessionId) ?? open(sessionId);
      session.add(viewer);
      lifetime.onEnd(() => {
        session.remove(viewer);
        if (!session.hasViewers() && sessions.get(sessionId) === session) close(sessionId);
      });
    },

    /** Call it when the browser of the session has changed: its host is asked at once. */
    refresh: (sessionId: string) => sessions.get(sessionId)?.renew(),

    close() {
      clearInterval(timer);
      stopHearing();
      for (const sessionId of sessions.keys()) close(sessionId);
    },
  };
}
export type FrameHub = ReturnType<typeof createFrameHub>;
