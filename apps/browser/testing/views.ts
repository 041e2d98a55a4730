// The view of a session at a host, as a server follows it.

import assert from 'node:assert/strict';
import type { SessionView } from '@pilothouse/bus';
import { until } from '../../../testkit/until.ts';
import type { PrivateSession } from './private-pages.ts';

type Told = Pick<PrivateSession, 'tell'>;

export async function viewOf(session: Told, known: string | null = null, wait_ms = 0): Promise<SessionView> {
  const { head } = await session.tell({ type: 'view', known, wait_ms });
  assert.ok(head.ok && head.type === 'view', JSON.stringify(head));
  return head.view;
}

/** Waits as a server does until the view is as expected. */
export async function viewWhere(session: Told, isMeant: (view: SessionView) => unknown): Promise<SessionView> {
  let view = await viewOf(session);
  await until(async () => {
    if (!isMeant(view)) view = await viewOf(session, view.version, 1000);
    return Boolean(isMeant(view));
  }, 15_000);
  return view;
}

export const titleOf = (view: SessionView) => view.pages.find(({ is_front }) => is_front)?.title;
