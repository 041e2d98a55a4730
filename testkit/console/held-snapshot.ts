// A session page in a state that would end by itself: it restores a snapshot that says so, and its streams bring nothing.

import type { Snapshot } from '@pilothouse/contract';
import type { BrowserContext } from 'playwright-core';

const session = /\/api\/sessions\/[0-9a-f-]+(\?|$)/;
const streams = /\/api\/(sessions\/[^/]+\/live|streams|tasks\/[^/]+\/(events|stream))/;

/** What every page of the context reads of a session is changed before it is shown. */
export async function holdSnapshots(context: BrowserContext, change: (snapshot: Snapshot) => Snapshot): Promise<void> {
  // With the worker that tabs share no route of the page is asked; without it they follow by themselves.
  await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
  // Never answered: a stream that is refused, or lost, would be a state of its own.
  await context.route(streams, () => {});
  await context.route(session, async (route) => {
    if (route.request().method() !== 'GET') return route.fallback();
    // A page that is left takes no answer any more.
    const answer = await route.fetch().catch(() => undefined);
    if (!answer) return route.abort().catch(() => {});
    const body = (await answer.json()) as { snapshot: Snapshot };
    await route.fulfill({ response: answer, json: { ...body, snapshot: change(body.snapshot) } }).catch(() => {});
  });
}
