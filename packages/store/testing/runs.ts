// Runs of tasks in tests: takes one certain task, as an agent that looks for any would, and tells whether a task is due.

import { randomUUID } from 'node:crypto';
import type { ClaimedRun, Store } from '../src/index.ts';

/** The task is at work at this agent; nothing of it is due. */
export async function takeRun(store: Store, taskId: string, agentId: string = randomUUID()): Promise<ClaimedRun> {
  const { rows } = await store.transaction(({ client }) =>
    client.query<ClaimedRun>(
      `update tasks t set run = t.run + 1, run_agent_id = $2, run_due_at = null, is_rested = false
       from (select id, is_rested, execution_id from tasks where id = $1 for update) as before where t.id = before.id
       returning t.id, t.run, case when before.is_rested then before.execution_id end as "executionId"`,
      [taskId, agentId],
    ),
  );
  const [run] = rows;
  if (!run) throw new Error(`there is no task ${taskId}`);
  return run;
}

export async function isDue(store: Store, taskId: string): Promise<boolean> {
  const task = await store.tasks.byId(taskId);
  if (!task) throw new Error(`there is no task ${taskId}`);
  return task.run_due_at !== null && task.run_due_at.getTime() <= Date.now() + 1000;
}
