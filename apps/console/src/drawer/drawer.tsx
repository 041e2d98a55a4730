// The drawer under the time axis: logs, executions, events, files and settings of the task.

import { ChevronDown } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTime } from '../common/use-time.ts';
import type { GrowingAxis } from '../tasks/axis-model.ts';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { DrawerEdge, drawerHeight } from './drawer-height.tsx';
import { type DrawerData, type DrawerTab, drawerTabs } from './drawer-tabs.ts';

/** Loaded when the drawer is opened for the first time. */
const DrawerContent = lazy(() => import('./drawer-content.tsx'));

type DrawerProps = {
  data: DrawerData;
  axis: GrowingAxis;
  open: string | undefined;
  onOpen: (tab: string | undefined) => void;
};

const names: Record<DrawerTab, string> = {
  logs: 'Logs',
  executions: 'Executions',
  events: 'Events',
  files: 'Files',
  settings: 'Settings',
};

export function Drawer({ data, axis, open, onOpen }: DrawerProps) {
  const { taskId, task, events } = data;
  const shown = drawerTabs.find((tab) => tab === open);
  const height = drawerHeight.use();
  const eventCount = useTime(() => events.current.length);
  const counts: Partial<Record<DrawerTab, number>> = {
    executions: task?.attempt,
    events: eventCount,
    files: task?.result?.files.length ?? 0,
  };
  return (
    <footer className="shrink-0 border-t border-line bg-surface narrow:hidden">
      <div className="flex h-8 items-center gap-0.5 px-3 text-12 text-ink-3">
        {drawerTabs.map((tab) => (
          <button
            key={tab}
            type="button"
            aria-pressed={shown === tab}
            onClick={() => onOpen(shown === tab ? undefined : tab)}
            className={cx(
              'flex h-6 items-center gap-1.5 rounded-1 px-2',
              shown === tab ? 'bg-sunken font-medium text-ink' : 'text-ink-2 hover:bg-hover',
            )}
          >
            {names[tab]}
            {counts[tab] !== undefined && <span className="font-normal text-ink-3 tabular-nums">{counts[tab]}</span>}
          </button>
        ))}
        <span className="flex-1" />
        {taskId && <span className="font-mono text-11">{`task ${taskId.slice(0, 8)}…${taskId.slice(-4)}`}</span>}
        {shown && (
          <IconButton size="sm" icon={ChevronDown} label="Close the drawer" onClick={() => onOpen(undefined)} />
        )}
      </div>
      {shown && <DrawerEdge />}
      {shown && (
        <section
          data-testid="drawer"
          aria-label={names[shown]}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
          tabIndex={0}
          style={{ height }}
          className="overflow-auto border-t border-line -outline-offset-2"
        >
          <Suspense>
            <DrawerContent tab={shown} data={data} axis={axis} />
          </Suspense>
        </section>
      )}
    </footer>
  );
}
