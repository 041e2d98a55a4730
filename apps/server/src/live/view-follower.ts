// Follows the view of one watched session at its host, and tells each viewer what has changed for it. There is one request
// at a time, which the host answers when something has changed.

import { setTimeout as realSleep } from 'node:timers/promises';
import type { SessionView } from '@pilothouse/bus';
import type { HostClient } from '@pilothouse/fleet';
import { encodeEvent } from '../sse/event-stream.ts';
import { viewFor } from './session-view.ts';
import type { Driver, Viewer } from './withheld.ts';

/** `slot`: of several events that wait for a slow viewer, the newest of each slot is sent. */
export type ViewViewer = Viewer & { onView: (bytes: Buffer, slot: string) => void };

const waitMs = 5000;
const answerMs = waitMs + 2000;
const retryMs = 1000;
/** Between two requests, also to a host that answers at once without end. */
const betweenMs = 50;
/** A host of an older release does not know the command. */
const refusedMs = 10_000;

/** What the viewer was told last. */
type Sent = { pages: string; driver: string; copied: string };
const nothing: Sent = { pages: '', driver: 'null', copied: '' };

/** `sleep` is for tests. */
type Options = { sessionId: string; hosts: Pick<HostClient, 'view'>; sleep?: typeof realSleep };

export function createViewFollower({ sessionId, hosts, sleep = realSleep }: Options) {
  const closed = new AbortController();
  const { signal } = closed;
  const viewers = new Map<ViewViewer, Sent>();
  let hostId: string | null = null;
  let driver: Driver | null = null;
  let view: SessionView | undefined;
  let isRunning = false;

  async function ask(from: string): Promise<void> {
    const options = { known: view?.version ?? null, waitMs, timeoutMs: answerMs, signal };
    const result = await hosts.view({ hostId: from, sessionId }, options);
    if (signal.aborted || from !== hostId) return;
    if (result.type !== 'done') {
      await sleep(result.type === 'refused' ? refusedMs : retryMs, undefined, { signal, ref: false });
      return;
    }
    view = result.reply.view;
    showAll();
    await sleep(betweenMs, undefined, { signal, ref: false });
  }

  const pause = () => sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);

  async function run(): Promise<void> {
    isRunning = true;
    // It rejects when it is closed, and when the bus is: then it must not ask again at once.
    while (hostId !== null && !signal.aborted) await ask(hostId).catch(pause);
    isRunning = false;
  }

  function showAll(): void {
    for (const [viewer, sent] of viewers) show(viewer, sent);
  }

  function show(viewer: ViewViewer, sent: Sent): void {
    // A guest sees pictures, and nothing beside them.
    if (viewer.userId === undefined) return;
    const seen = view && viewFor(view, { sessionId, driver, viewer });
    const tell = (type: 'pages' | 'driver_view' | 'copied', data: object) =>
      viewer.onView(encodeEvent({ type, data: { type, ...data } }), type);
    const pages = JSON.stringify(seen?.pages);
    if (seen && pages !== sent.pages) tell('pages', { pages: seen.pages });
    const driver_view = seen?.driver_view ?? null;
    const told = JSON.stringify(driver_view);
    if (told !== sent.driver) tell('driver_view', { driver_view });
    if (seen?.copied && seen.copied.key !== sent.copied) tell('copied', { copied: seen.copied.text });
    Object.assign(sent, { pages: pages ?? sent.pages, driver: told, copied: seen?.copied?.key ?? sent.copied });
  }

  return {
    /** Where the browser is, and who drives: the view of another host is another one. */
    update(holder: string | null, drives: Driver | null): void {
      if (holder !== hostId) view = undefined;
      hostId = holder;
      driver = drives;
      showAll();
      if (!isRunning) void run();
    },
    add(viewer: ViewViewer): void {
      const sent = { ...nothing };
      viewers.set(viewer, sent);
      show(viewer, sent);
    },
    remove: (viewer: ViewViewer) => void viewers.delete(viewer),
    close: () => closed.abort(),
  };
}
