// Runs whose agent is gone, stops, or does not know of them: their tasks are due again.

import { countRows } from '../db/count-rows.ts';
import type { Database } from '../db/db.ts';
import type { TaskRun } from './task-queue.ts';

export function createLostRuns({ pool }: Database) {
  return {
    /** The runs that this agent has, by the rows. */
    async heldBy(agentId: string): Promise<TaskRun[]> {
      const { rows } = await pool.query<TaskRun>({
        name: 'queue.heldBy',
        text: 'select id, run from tasks where run_agent_id = $1',
        values: [agentId],
      });
      return rows;
    },

    /** Makes a run due again that its agent knows nothing of: it was taken by a statement whose answer was lost. */
    async giveUp({ id, run }: TaskRun, agentId: string): Promise<void> {
      await pool.query({
        name: 'queue.giveUp',
        text: `update tasks set run_agent_id = null, run_due_at = least(run_due_at, clock_timestamp())
               where id = $1 and run = $2 and run_agent_id = $3`,
        values: [id, run, agentId],
      });
    },

    /**
     * Makes the work of a dead agent due. Its runs may still be under way somewhere: the next execution of each task
     * fences them. Does nothing if the agent is back. Returns how many there were.
     */
    async recover(agentId: string): Promise<number> {
      return countRows(pool, {
        name: 'queue.recover',
        text: `update tasks set run_agent_id = null, run_due_at = least(run_due_at, clock_timestamp())
               where run_agent_id = $1 and not exists (select from agents where id = $1 and recovered_at is null)`,
        values: [agentId],
      });
    },

    /** An agent that stops gives its tasks back: that they got no further does not count against them. */
    async giveBack(agentId: string): Promise<number> {
      return countRows(pool, {
        name: 'queue.giveBack',
        text: `update tasks set run_agent_id = null, run_due_at = least(run_due_at, clock_timestamp()),
                 fruitless = greatest(0, fruitless - 1)
               where run_agent_id = $1`,
        values: [agentId],
      });
    },
  };
}
