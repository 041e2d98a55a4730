import { Reach } from '@pilothouse/bus';
import type { Task } from '@pilothouse/contract';
import type { SessionRow, TaskRow } from '@pilothouse/store';
import type { Session } from './hands.ts';

/** Written by a chat, from what the contract calls so. */
export const settingsOf = ({ settings }: Pick<TaskRow, 'settings'>) => settings as Task['settings'];

type Opened = Pick<SessionRow, 'id' | 'viewport_width' | 'viewport_height'>;

/** How the browser of a session is opened for a task. */
export const openingOf = (session: Opened, { allowed_domains }: Task['settings']): Session => ({
  ...viewOf(session),
  // A name covers those below it.
  reach: { allow: allowed_domains?.map((name) => name.replace(/^\*\./, '')) ?? null, deny: [] },
});

/** And for nobody's task: it stays as it is, or may reach everything. */
export const openingAsIs = (session: Opened, reach: unknown): Session => ({
  ...viewOf(session),
  reach: Reach.safeParse(reach).data ?? { allow: null, deny: [] },
});

const viewOf = ({ id, viewport_width: width, viewport_height: height }: Opened) => ({
  id,
  viewport: { width, height },
});
