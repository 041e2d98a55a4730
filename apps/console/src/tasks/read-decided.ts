// Reads what a model decided for a task, and what it has used. Pages that are full are read once.

import { client } from '../api/login.ts';
import type { Decision, TaskStatus } from '../live/api-types.ts';

/** `lastPage`: where the last page begins. Earlier ones do not change any more. */
export type Decided = {
  taskId: string;
  decisions: readonly Decision[];
  cost: TaskStatus['cost'];
  lastPage: { cursor: string | undefined; before: number };
};

const pageSize = 25;
const maxPages = 40;

export async function readDecided(id: string, known: Decided | undefined, signal: AbortSignal): Promise<Decided> {
  const status = client.getTaskStatus({ id }, { signal });
  // It is waited for below; until then a failure of it must not count as unhandled.
  status.catch(() => {});
  let lastPage = known?.lastPage ?? { cursor: undefined, before: 0 };
  const decisions = (known?.decisions ?? []).slice(0, lastPage.before);
  for (let page = 0; page < maxPages; page += 1) {
    const { cursor } = lastPage;
    const read = await client.listDecisions({ id, limit: pageSize, cursor }, { signal });
    decisions.push(...read.decisions);
    if (read.next_cursor === null) break;
    lastPage = { cursor: read.next_cursor, before: decisions.length };
  }
  return { taskId: id, decisions, cost: (await status).status.cost, lastPage };
}
