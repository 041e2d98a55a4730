// Commands of a guest that Chromium has not answered yet: another driver begins when those that touch the page are over.

import type { Command } from '../multiplexer.ts';

type Params = Record<string, unknown>;

/** `touches`: it may change the page. */
export type Begun = {
  id: number;
  method: string;
  sessionId: string;
  params: Params;
  size?: number;
  touches: boolean;
};

export type UnderWay = {
  /** Whether no more is taken: a client that sends so much without waiting for answers is refused the rest. */
  isFull(): boolean;
  begin(command: Omit<Begun, 'touches'>): Begun;
  /** Chromium has answered. False where the client has an answer already. */
  end(begun: Begun): boolean;
  /** Whether nothing that touches a page is under way, after waiting for at most this long. */
  idle(timeoutMs: number): Promise<boolean>;
  /** What makes pages go on that hold up what is under way. */
  nudges(): Command[];
  /** Sessions whose scripts wait for a promise, and may not have begun: a page that is busy runs them later. */
  awaiting(): string[];
  /** What ends loads that are under way. */
  stops(): Command[];
  /** Everything that is left: Chromium's answers to it will not be passed on. */
  giveUp(): Begun[];
};

const maxOpen = 4096;
const maxChars = 32 * 1024 * 1024;

const loads = new Set(['Page.navigate', 'Page.reload', 'Page.navigateToHistoryEntry']);
/** They read, and may take long. */
const slowReads = new Set([
  'Accessibility.getFullAXTree',
  'DOMSnapshot.captureSnapshot',
  'Fetch.getResponseBody',
  'Fetch.takeResponseBodyAsStream',
  'HeapProfiler.collectGarbage',
  'IO.read',
  'Network.getResponseBody',
  'Network.loadNetworkResource',
  'Page.captureScreenshot',
  'Page.captureSnapshot',
  'Page.printToPDF',
  'Runtime.awaitPromise',
]);

export function createUnderWay(): UnderWay {
  const open = new Set<Begun>();
  /** Of their messages. */
  let chars = 0;
  const waiting = new Set<() => void>();
  const touching = () => [...open].filter(({ touches }) => touches);
  const sessionsOf = (some: Begun[]) => [...new Set(some.map(({ sessionId }) => sessionId))];
  return {
    isFull: () => open.size >= maxOpen || chars >= maxChars,
    begin({ id, method, sessionId, params, size = 0 }) {
      // A script that waits for a promise may wait for ever. What it does meanwhile is done by the page, once it has begun.
      const touches = !slowReads.has(method) && params.awaitPromise !== true;
      const begun = { id, method, sessionId, params, size, touches };
      open.add(begun);
      chars += size;
      return begun;
    },
    end(begun) {
      const isOpen = open.delete(begun);
      if (isOpen) chars -= begun.size ?? 0;
      if (touching().length === 0) for (const resolve of waiting) resolve();
      return isOpen;
    },
    async idle(timeoutMs) {
      if (touching().length === 0) return true;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, timeoutMs);
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
      clearTimeout(timer);
      return touching().length === 0;
    },
    nudges: () => sessionsOf(touching()).map((sessionId) => ({ method: 'Runtime.terminateExecution', sessionId })),
    awaiting: () => sessionsOf([...open].filter(({ params }) => params.awaitPromise === true)),
    stops: () =>
      sessionsOf([...open].filter(({ method }) => loads.has(method))).map((sessionId) => ({
        method: 'Page.stopLoading',
        sessionId,
      })),
    giveUp() {
      const left = [...open];
      open.clear();
      chars = 0;
      return left;
    },
  };
}
