// What the status of a task has no room for: steps before the last forty, and pictures before the last eight. Both are
// read when they are wanted.

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { client } from '../api/login.ts';
import type { Evidence } from '../live/api-types.ts';
import { attemptsOf } from './attempts.ts';
import { evidenceOf, type TaskView } from './timeline-model.ts';

const pageSize = 200;
const maxPages = 50;

async function readEvidence(id: string, signal: AbortSignal): Promise<Map<string, Evidence>> {
  const pictures = new Map<string, Evidence>();
  let cursor: string | undefined;
  for (let page = 0; page === 0 || (cursor && page < maxPages); page += 1) {
    const { data } = await client.listObservations({ id, limit: pageSize, cursor }, { signal });
    for (const observation of data.observations) {
      const evidence = evidenceOf(observation);
      if (evidence) pictures.set(evidence.step_id, evidence);
    }
    cursor = data.next_cursor ?? undefined;
  }
  return pictures;
}

const lasting = { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false } as const;

export function useOlder(task: TaskView | undefined) {
  const id = task?.task_id ?? '';
  const [wanted, setWanted] = useState<{ steps?: string; pictures?: string }>({});
  // A status that is read again may begin later: what lies between is then read again too.
  const firstStep = task?.agent_history[0]?.step_index ?? 1;
  const firstPicture = task?.recent_evidence[0]?.observation_id;
  const hasOlderSteps = firstStep > 1;

  const { data: executions } = useQuery({
    queryKey: ['older steps', id, firstStep],
    queryFn: async ({ signal }) => (await client.listExecutions({ id }, { signal })).executions,
    enabled: hasOlderSteps && wanted.steps === id,
    placeholderData: keepPreviousData,
    ...lasting,
  });
  const { data: evidence } = useQuery({
    queryKey: ['older pictures', id, firstPicture],
    queryFn: ({ signal }) => readEvidence(id, signal),
    enabled: id !== '' && wanted.pictures === id,
    placeholderData: keepPreviousData,
    ...lasting,
  });
  const isOfTask = wanted.steps === id;
  const history = task?.agent_history;
  const attempts = useMemo(
    () => attemptsOf(history ?? [], isOfTask ? executions : undefined),
    [history, executions, isOfTask],
  );
  const wantSteps = useCallback(
    () => setWanted((before) => (before.steps === id ? before : { ...before, steps: id })),
    [id],
  );
  const wantPictures = useCallback(
    () => setWanted((before) => (before.pictures === id ? before : { ...before, pictures: id })),
    [id],
  );
  return { attempts, evidence: wanted.pictures === id ? evidence : undefined, wantSteps, wantPictures };
}
export type Older = ReturnType<typeof useOlder>;
