// How the browser of a session is opened: its viewport, and the domains that it may reach.

import { DomainPolicy } from '@pilothouse/bus';
import type { Task } from '@pilothouse/contract';
import type { SessionRow, TaskRow } from '@pilothouse/store';

export type LaunchOptions = { id: string; viewport: { width: number; height: number }; reach: DomainPolicy };

/** The server wrote them when the task was created, as the contract has them. */
export const settingsOf = ({ settings }: Pick<TaskRow, 'settings'>) => settings as Task['settings'];

type SessionViewport = Pick<SessionRow, 'id' | 'viewport_width' | 'viewport_height'>;

/** For a task. */
export const launchOptionsOf = (session: SessionViewport, { allowed_domains }: Task['settings']): LaunchOptions => ({
  ...viewOf(session),
  // A domain covers its subdomains.
  reach: { allow: allowed_domains?.map((name) => name.replace(/^\*\./, '')) ?? null, deny: [] },
});

/** Without a task: the browser may reach what it could reach before, or everything. */
export const launchOptionsAsBefore = (session: SessionViewport, reach: unknown): LaunchOptions => ({
  ...viewOf(session),
  reach: DomainPolicy.safeParse(reach).data ?? { allow: null, deny: [] },
});

const viewOf = ({ id, viewport_width: width, viewport_height: height }: SessionViewport) => ({
  id,
  viewport: { width, height },
});
