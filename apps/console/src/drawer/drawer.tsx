// The drawer under the time axis: logs, executions, events, files and settings of the task.

import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { client } from '../api/login.ts';
import type { LogEntry, StreamedEvent, TaskDetail } from '../live/api-types.ts';
import type { Axis } from '../tasks/axis-model.ts';
import { FileList } from '../tasks/file-list.tsx';
import type { TaskView } from '../tasks/timeline-model.ts';
import { IconButton } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { DrawerEdge, drawerHeight } from './drawer-height.tsx';
import { EventList, LogList, SettingsList } from './drawer-lists.tsx';
import { ExecutionTable } from './execution-table.tsx';

type DrawerData = {
  taskId: string | undefined;
  task: TaskView | undefined;
  detail: TaskDetail | undefined;
  events: { current: readonly StreamedEvent[] };
  logs: { current: readonly LogEntry[] };
};
type DrawerProps = {
  data: DrawerData;
  axis: Axis;
  open: string | undefined;
  onOpen: (tab: string | undefined) => void;
};

const tabs = ['logs', 'executions', 'events', 'files', 'settings'] as const;
type DrawerTab = (typeof tabs)[number];
const names: Record<DrawerTab, string> = {
  logs: 'Logs',
  executions: 'Executions',
  events: 'Events',
  files: 'Files',
  settings: 'Settings',
};

export function Drawer({ data, axis, open, onOpen }: DrawerProps) {
  const { taskId, task, events } = data;
  const shown = tabs.find((tab) => tab === open);
  const height = drawerHeight.use();
  const counts: Partial<Record<DrawerTab, number>> = {
    executions: task?.attempt,
    events: events.current.length,
    files: task?.result?.files.length ?? 0,
  };
  return (
    <footer className="shrink-0 border-t border-line bg-surface narrow:hidden">
      <div className="flex h-8 items-center gap-0.5 px-3 text-12 text-ink-3">
        {tabs.map((tab) => (
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
          <Content tab={shown} data={data} axis={axis} />
        </section>
      )}
    </footer>
  );
}

function Content({ tab, data, axis }: Pick<DrawerProps, 'data' | 'axis'> & { tab: DrawerTab }) {
  const { taskId, task, detail, events } = data;
  if (tab === 'events') return <EventList events={events.current} />;
  if (!taskId || !task) return <p className="p-4 text-ink-3">No task ran in this session yet.</p>;
  if (tab === 'logs') return <Logs taskId={taskId} data={data} />;
  if (tab === 'executions') return <Executions taskId={taskId} version={task.seq} axis={axis} />;
  if (tab === 'settings') return <SettingsList detail={detail} />;
  return task.result && task.result.files.length > 0 ? (
    <div className="max-w-xl px-4 pb-4">
      <FileList files={task.result.files} taskId={taskId} />
    </div>
  ) : (
    <p className="p-4 text-ink-3">This task has no files.</p>
  );
}

function Logs({ taskId, data }: { taskId: string; data: DrawerData }) {
  const { data: logs = [] } = useQuery({
    queryKey: ['logs', taskId],
    queryFn: async ({ signal }) => (await client.listLogs({ id: taskId, limit: 200 }, { signal })).logs,
  });
  const known = new Set(logs.map(({ seq }) => seq));
  return <LogList logs={[...logs, ...data.logs.current.filter(({ seq }) => !known.has(seq))]} />;
}

function Executions({ taskId, version, axis }: { taskId: string; version: number; axis: Axis }) {
  const { data: executions = [] } = useQuery({
    queryKey: ['executions', taskId, Math.floor(version / 5)],
    queryFn: async ({ signal }) => (await client.listExecutions({ id: taskId }, { signal })).executions,
    placeholderData: (before) => before,
  });
  return <ExecutionTable executions={executions} axis={axis} />;
}
