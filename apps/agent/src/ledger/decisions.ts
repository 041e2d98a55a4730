// Writes what a model was asked and what it decided: the call before it is made, the decision with its steps after it. Never
// calls a model.

import {
  type CallEnd,
  type DecisionRow,
  type ModelCallRow,
  type NewDecision,
  progressOf,
  type Store,
  type Tx,
} from '@pilothouse/store';
import { TaskNotHeld, type TaskTurn, type Turn } from './turn.ts';

/** `readMessages`: the number of the last message of a person that the request has. */
type NewCall = { purpose: 'decide' | 'plan' | 'judge'; model: string; estimatedTokens: number; readMessages: number };
/** What the people who watch are told of a decision. */
type Told = { title: string };

/** Ends decisions inside of the transaction that ends a step. */
export function createDecisionEnds(store: Store) {
  async function cutHeld(tx: Tx, { task, executionId }: TaskTurn, { number }: DecisionRow, reason: string) {
    if (!(await store.decisions.cut(tx, { taskId: task.id, executionId, number }, reason))) throw new TaskNotHeld();
  }

  return {
    cutHeld,

    /** The decision ends with its last step, or earlier with a reason. */
    async leaveDecision(tx: Tx, turn: Turn, cut?: string): Promise<void> {
      const { task, index, decision } = turn;
      if (!decision) return;
      if (index >= decision.last_step) await store.decisions.close(tx, task.id, decision.number);
      else if (cut !== undefined) await cutHeld(tx, turn, decision, cut);
    },
  };
}

export function createDecisionLedger({ store }: { store: Store }) {
  const { cutHeld } = createDecisionEnds(store);
  const heldOf = ({ task, executionId }: TaskTurn) => ({ taskId: task.id, executionId });

  return {
    /** The next call of this run. A call that is still open was made by an agent that is lost. */
    beginCall: (turn: TaskTurn, call: NewCall): Promise<ModelCallRow> =>
      store.change(turn.task.session_id, async (tx, append) => {
        const lost = await store.modelCalls.lose(tx, turn.task.id);
        // The session is locked: what a person said before this moment is in the request, or the request is made again.
        const unread = await store.taskMessages.of(turn.task.id, { after: call.readMessages, tx });
        if (unread.length > 0) throw new TaskNotHeld();
        const begun = await store.modelCalls.begin(tx, heldOf(turn), call);
        if (!begun) throw new TaskNotHeld();
        const message = `${lost} ${lost === 1 ? 'call' : 'calls'} of a model ended without an answer, because the agent was lost.`;
        if (lost > 0) await store.logs.append(append, { taskId: turn.task.id, level: 'warn', message });
        return begun;
      }),

    /** A call that brought no decision. What it used is counted, also where another run holds the task by now. */
    endCall: (turn: TaskTurn, call: ModelCallRow, end: CallEnd): Promise<void> =>
      store.change(turn.task.session_id, async (tx, append) => {
        await store.modelCalls.end(tx, call, end);
        if (end.status === 'failed' && end.error)
          await store.logs.append(append, { taskId: turn.task.id, level: 'warn', message: end.error });
      }),

    /** The answer of the model and its steps. From here on the decision is read from its row, and the call is not repeated. */
    decide: (
      turn: TaskTurn,
      call: ModelCallRow,
      end: CallEnd,
      { title, ...decision }: Omit<NewDecision, 'callNumber'> & Told,
    ): Promise<DecisionRow> =>
      store.change(turn.task.session_id, async (tx, append) => {
        const taskId = turn.task.id;
        const added = await store.decisions.add(tx, heldOf(turn), { ...decision, callNumber: call.number });
        if (!added) throw new TaskNotHeld();
        const task = await store.modelCalls.end(tx, call, end);
        if (!task) throw new TaskNotHeld();
        await append({ taskId, kind: 'status', data: { status: progressOf(task) } });
        const data = { decision: added.number, call: call.number };
        await store.logs.append(append, { taskId, level: 'info', message: `The model decided: ${title}`, data });
        return added;
      }),

    /** The finish of the newest decision is put off: the model looks and decides again. */
    deferFinish: (turn: TaskTurn, { number }: DecisionRow, actions: object, reason: string): Promise<void> =>
      store.change(turn.task.session_id, async (tx, append) => {
        if (!(await store.decisions.revise(tx, { ...heldOf(turn), number }, actions))) throw new TaskNotHeld();
        await store.logs.append(append, { taskId: turn.task.id, level: 'info', message: reason });
      }),

    /** Ends a decision before all its steps are done. Throws where it has ended already. */
    cutDecision: (turn: TaskTurn, decision: DecisionRow, reason: string): Promise<void> =>
      store.change(turn.task.session_id, (tx) => cutHeld(tx, turn, decision, reason)),
  };
}
