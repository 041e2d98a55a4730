// Writes the plan that a model proposes, and asks a person for a yes to it. Never calls a model.

import type { Choice, PlanItem } from '@pilothouse/contract';
import { type CallEnd, type ModelCallRow, planText, progressOf, type Store } from '@pilothouse/store';
import { TaskNotHeld, type TaskTurn } from './turn.ts';

type ProposedPlan = {
  items: PlanItem[];
  /** Whether the person may say what to change: then the model makes another plan. */
  takesWords: boolean;
};

const yes: Choice[] = [{ value: 'yes', label: 'Start' }];

export function createPlanLedger({ store, questionSecs }: { store: Store; questionSecs: number }) {
  return {
    /** The answer of the model and the question are one transaction: after it the call is not repeated. */
    proposePlan: (turn: TaskTurn, call: ModelCallRow, end: CallEnd, { items, takesWords }: ProposedPlan) =>
      store.change(turn.task.session_id, async (tx, append) => {
        const { task, executionId } = turn;
        if (!(await store.modelCalls.end(tx, call, end))) throw new TaskNotHeld();
        const text = `Is this plan right?\n${planText(items)}`;
        const question = { text, kind: 'plan', choices: yes, takesWords, planItems: items, stepId: null } as const;
        const held = { id: task.id, executionId };
        const asked = await store.questions.ask(tx, held, { ...question, expiresInSecs: questionSecs }, null);
        if (!asked) throw new TaskNotHeld();
        const count = `${items.length} ${items.length === 1 ? 'item' : 'items'}`;
        const message = `The model proposes a plan of ${count}, and waits for a yes.`;
        await store.logs.append(append, { taskId: task.id, level: 'info', message, data: { call: call.number } });
        await append({
          taskId: task.id,
          kind: 'status',
          data: { status: { ...progressOf(asked), plan_items: items } },
        });
        await store.tellConversation(tx, append, asked);
      }),
  };
}
