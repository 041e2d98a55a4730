// Opens our isolated world in a document: the page can neither see it nor change what our scripts find there.

import type { CDPSession } from 'playwright-core';

export const worldName = 'pilothouse';

/** The id of its execution context. Asking for the same name in the same document gives the same world. */
export async function isolatedContextOf(session: CDPSession, frameId: string): Promise<number> {
  const world = { frameId, worldName, grantUniveralAccess: false };
  return (await session.send('Page.createIsolatedWorld', world)).executionContextId;
}
