// One tab of the drawer.

import { useQuery } from '@tanstack/react-query';
import { client } from '../api/login.ts';
import { useTime } from '../common/use-time.ts';
import type { GrowingAxis } from '../tasks/axis-model.ts';
import { FileList } from '../tasks/file-list.tsx';
import { EventList, LogList, SettingsList } from './drawer-lists.tsx';
import type { DrawerData, DrawerTab } from './drawer-tabs.ts';
import { EvidenceDownload } from './evidence-download.tsx';
import { ExecutionTable } from './execution-table.tsx';

type DrawerContentProps = { tab: DrawerTab; data: DrawerData; axis: GrowingAxis };

export default function DrawerContent({ tab, data, axis }: DrawerContentProps) {
  const { taskId, task, detail } = data;
  if (tab === 'events') return <Events data={data} />;
  if (!taskId || !task) return <p className="p-4 text-ink-3">No task ran in this session yet.</p>;
  if (tab === 'logs') return <Logs taskId={taskId} data={data} />;
  if (tab === 'executions') return <Executions taskId={taskId} version={task.seq} axis={axis} />;
  if (tab === 'settings') return <SettingsList detail={detail} />;
  return (
    <>
      {task.result && task.result.files.length > 0 ? (
        <div className="max-w-xl px-4">
          <FileList files={task.result.files} taskId={taskId} />
        </div>
      ) : (
        <p className="px-4 pt-4 text-ink-3">This task has no files.</p>
      )}
      <EvidenceDownload taskId={taskId} />
    </>
  );
}

/** What the streams bring is kept outside of React: it is looked at once a second. */
function Events({ data }: { data: DrawerData }) {
  return <EventList events={useTime(() => data.events.current)} />;
}

function Logs({ taskId, data }: { taskId: string; data: DrawerData }) {
  const { data: logs = [] } = useQuery({
    queryKey: ['logs', taskId],
    queryFn: async ({ signal }) => (await client.listLogs({ id: taskId, limit: 200 }, { signal })).logs,
  });
  const newest = useTime(() => data.logs.current);
  const known = new Set(logs.map(({ seq }) => seq));
  return <LogList logs={[...logs, ...newest.filter(({ seq }) => !known.has(seq))]} />;
}

function Executions({ taskId, version, axis }: { taskId: string; version: number; axis: GrowingAxis }) {
  const { data: executions = [] } = useQuery({
    queryKey: ['executions', taskId, Math.floor(version / 5)],
    queryFn: async ({ signal }) => (await client.listExecutions({ id: taskId }, { signal })).executions,
    placeholderData: (before) => before,
  });
  return <ExecutionTable executions={executions} axis={useTime(axis.at)} />;
}
