// A viewer of a session's live stream, without a client that would reconnect by itself.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveEvent } from '@pilothouse/contract';

/** No test needs longer. */
const watchMs = 30_000;

export type LiveViewer = {
  /** The raw text that has come so far. */
  text(): string;
  events(): LiveEvent[];
  /** Waits for an event; throws if it does not come. */
  until(is: (event: LiveEvent) => boolean): Promise<LiveEvent>;
  /** Resolves to the time when the server ended it. */
  ended: Promise<number>;
  isOver(): boolean;
  close(): Promise<void>;
};

export async function watch(
  { baseUrl }: { baseUrl: string },
  id: string,
  headers: Record<string, string>,
): Promise<LiveViewer> {
  const { status, body } = await fetch(`${baseUrl}/api/sessions/${id}/live`, {
    headers,
    signal: AbortSignal.timeout(watchMs),
  });
  assert.equal(status, 200);
  assert.ok(body);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let isOver = false;
  const ended = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
    }
    isOver = true;
    return Date.now();
  })();
  // A test that waits for it sees the error.
  ended.catch(() => {});
  const events = () =>
    text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((message) => /^data: (.*)$/m.exec(message)?.[1] ?? [])
      // Written by the server, whose replies are checked against the contract.
      .map((data) => JSON.parse(data) as LiveEvent);
  return {
    text: () => text,
    events,
    async until(is) {
      const late = AbortSignal.timeout(10_000);
      for (;;) {
        const found = events().find(is);
        if (found) return found;
        await sleep(20, undefined, { signal: late });
      }
    },
    ended,
    isOver: () => isOver,
    close: () => reader.cancel(),
  };
}
