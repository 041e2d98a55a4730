// Claims a task for this run. An earlier agent must not act any more, so the browser gets a new epoch with the claim.

import { type ClaimedRun, progressOf, type Store, sessionStateOf, type TaskRow } from '@pilothouse/store';
import type { Browsers } from '../browsers/browsers.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { TaskNotHeld } from '../ledger/turn.ts';

type Options = { store: Store; browsers: Browsers; ledger: Ledger; agentId: string };
type ClaimedTask = { executionId: string; task: TaskRow };

/** How many claims in a row may end without a finished step. */
const maxClaimsWithoutProgress = 5;

export function createClaim({ store, browsers, ledger, agentId }: Options, claimed: ClaimedRun) {
  const { id: taskId, run } = claimed;
  // A run that continues another's execution need not claim the task: nothing of the other is under way.
  let executionId = claimed.executionId ?? undefined;

  const write = ({ session_id }: TaskRow) =>
    store.change(session_id, async (tx, append) => {
      const taken = await store.tasks.beginExecution(tx, taskId, agentId, run);
      if (!taken) return undefined;
      const { task } = taken;
      await append({ taskId, kind: 'status', data: { status: progressOf(task) } });
      if (task.attempt > 1) {
        const message = `Another agent goes on with the task (attempt ${task.attempt}).`;
        await store.logs.append(append, { taskId, level: 'warn', message });
      }
      const session = await store.sessions.move(tx, session_id, 'work');
      if (session) await append({ kind: 'status', data: { session: sessionStateOf(session) } });
      // The earlier agent may only be paused, and must not act when it wakes. A person who drives keeps their epoch.
      const isReplacing = task.attempt > 1 && task.status === 'running';
      return { ...taken, fence: isReplacing ? await store.browsers.fence(tx, session_id) : undefined };
    });

  /** Ends a task that is claimed again and again without progress: it may be what kills the agents. */
  async function giveUp({ executionId: execution, task }: ClaimedTask): Promise<void> {
    const held = { id: taskId, sessionId: task.session_id, executionId: execution };
    const where = task.current_step_title ? `, the last time at "${task.current_step_title}"` : '';
    const reason = `It was begun ${maxClaimsWithoutProgress} times without finishing a step${where}, and each time the agent was lost.`;
    if (!(await ledger.endTask(held, { move: 'fail', reason }))) throw new TaskNotHeld();
  }

  return {
    /** The execution of this run; undefined before the claim. */
    executionId: () => executionId,

    /** Claims the task and returns the execution; undefined where the task is over, or another run has it. */
    async take(row: TaskRow): Promise<string | undefined> {
      const begun = await write(row);
      if (!begun) return undefined;
      executionId = begun.executionId;
      const { fence, task } = begun;
      // With an open attempt, the host may finish it before it hears of the new driver.
      if (fence && !(await store.steps.of(taskId)).some(({ status }) => status === 'running'))
        await browsers.setDriver(task.session_id, { hostId: fence.host_id, epoch: fence.epoch });
      if (task.fruitless > maxClaimsWithoutProgress && task.status === 'running') {
        await giveUp(begun);
        return undefined;
      }
      return begun.executionId;
    },
  };
}
export type Claim = ReturnType<typeof createClaim>;
