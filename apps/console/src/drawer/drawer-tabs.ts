// The tabs of the drawer, and what they show.

import type { LogEntry, StreamedEvent, TaskDetail } from '../live/api-types.ts';
import type { TaskView } from '../tasks/timeline-model.ts';

export const drawerTabs = ['logs', 'executions', 'events', 'files', 'settings'] as const;
export type DrawerTab = (typeof drawerTabs)[number];

export type DrawerData = {
  taskId: string | undefined;
  task: TaskView | undefined;
  detail: TaskDetail | undefined;
  events: { current: readonly StreamedEvent[] };
  logs: { current: readonly LogEntry[] };
};
