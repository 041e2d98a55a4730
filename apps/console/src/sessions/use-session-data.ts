// Everything that the session page reads, and the streams that keep it new.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { client } from '../api/login.ts';
import { useBands } from '../axis/use-bands.ts';
import { useRecording } from '../axis/use-recording.ts';
import type { LiveEvent, LogEntry, StreamedEvent, TaskEvent } from '../live/api-types.ts';
import { useDecided } from '../tasks/use-decided.ts';
import { useOlder } from '../tasks/use-older.ts';
import { useSession } from './use-session.ts';
import { messagesQuery, taskDetailQuery, useTask } from './use-task.ts';

const keptEvents = 500;
/** Pictures, and what only the driver sees: nothing of it is kept. */
const notKept = new Set<string>(['frame', 'snapshot', 'driver_view', 'copied']);

export function useSessionData(id: string, wantedTask: string | undefined) {
  const cache = useQueryClient();
  /** What the streams brought, as it was: the drawer shows it. */
  const events = useRef<StreamedEvent[]>([]);
  const logs = useRef<LogEntry[]>([]);
  const onChange = useRef<(event: LiveEvent | TaskEvent) => void>(undefined);
  const refresh = useRef<() => void>(undefined);
  const keep = useCallback((stream: StreamedEvent['stream'], event: LiveEvent | TaskEvent) => {
    if (notKept.has(event.type)) return;
    events.current = [...events.current.slice(1 - keptEvents), { at: Date.now(), stream, event }];
  }, []);

  const session = useSession({
    client,
    id,
    onEvent: useCallback(
      (event: LiveEvent) => {
        keep('live', event);
        onChange.current?.(event);
      },
      [keep],
    ),
  });
  const lastTask = session.view?.session.last_task_id ?? undefined;
  const taskId = wantedTask ?? lastTask;
  const { task, error: taskError } = useTask(
    taskId,
    useCallback(
      (event: TaskEvent) => {
        keep('task', event);
        onChange.current?.(event);
        if (event.type === 'log') logs.current = [...logs.current.slice(1 - keptEvents), event.log];
        if (event.type === 'observation') refresh.current?.();
      },
      [keep],
    ),
  );
  const detail = useQuery(taskDetailQuery(taskId)).data;
  const isLast = taskId === lastTask;
  const otherMessages = useQuery(messagesQuery(taskId, isLast)).data;
  const messages = isLast ? session.view?.messages : otherMessages;
  const { data: tasks = [] } = useQuery({
    queryKey: ['tasks of', id, lastTask],
    queryFn: async ({ signal }) => (await client.listTasks({ session_id: id, limit: 50 }, { signal })).tasks,
    refetchInterval: 15_000,
  });
  const since = detail?.created_at ?? (taskId === undefined ? session.view?.session.created_at : undefined);
  const recording = useRecording(id, since);
  const { bands, onEvent } = useBands(id, since);
  onChange.current = onEvent;
  refresh.current = recording.refresh;
  const older = useOlder(task);
  const decided = useDecided(task);

  return {
    session,
    taskId,
    isLast,
    task,
    detail,
    messages,
    tasks,
    recording,
    bands,
    older,
    decided,
    events,
    logs,
    error: session.error ?? taskError,
    readAgain: () => void cache.refetchQueries({ type: 'active' }),
  };
}
export type SessionData = ReturnType<typeof useSessionData>;
