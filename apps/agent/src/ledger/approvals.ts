// Asks a person for a yes to one act, and writes that they said no. What is asked and the question are one transaction, so that
// neither is there without the other.

import type { AskedAct, GateVerdict } from '@pilothouse/bus';
import type { Choice, PolicyVerdict } from '@pilothouse/contract';
import { type ApprovalRow, newId, progressOf, type StepRow, type Store, stepIdOf, titleOf } from '@pilothouse/store';
import type { Attempts } from './attempts.ts';
import { createDecisionEnds } from './decisions.ts';
import type { HeldTask } from './held-task.ts';
import { TaskNotHeld, type Turn } from './turn.ts';

type Options = { store: Store; heldTask: HeldTask; attempts: Attempts; questionSecs: number };
type Asking = { verdict: GateVerdict; asked: AskedAct; voidReason: string | null; picturePath: string | null };

const choices: Choice[] = [
  { value: 'once', label: 'Yes, this once' },
  { value: 'kind', label: 'Yes, to this kind on this site in this task' },
  { value: 'no', label: 'No' },
];
const watching: Choice[] = [{ value: 'go on', label: 'I am watching: go on' }];

export function createApprovalLedger({ store, heldTask, attempts, questionSecs }: Options) {
  const { changing, say } = heldTask;
  const { cutHeld } = createDecisionEnds(store);
  const expiresInSecs = questionSecs;

  return {
    /** The attempt ends without an act, and the task waits for a yes to exactly what the host described. */
    askForYes: (turn: Turn, attempt: StepRow, { verdict, asked, voidReason, picturePath }: Asking): Promise<void> =>
      changing(turn, async (tx, append) => {
        const { task, executionId, index, step } = turn;
        const { fingerprint, site, ...told } = asked;
        const policy = policyOf(verdict);
        await attempts.end(tx, append, turn, attempt, { status: 'failed', error: 'It waits for a yes.', policy });
        const id = newId();
        const action = titleOf(step);
        const approval = { id, taskId: task.id, stepIndex: index, fingerprint, class: verdict.class, site };
        await store.approvals.add(tx, { ...approval, facts: told, expiresInSecs });
        const question = {
          text: `${voidReason ? `${voidReason} ` : ''}May this be done: ${action}${placeOf(told)}? ${verdict.sentence}`,
          stepId: stepIdOf(index),
          expiresInSecs,
          kind: 'approval' as const,
          choices,
          takesWords: false,
          approval: {
            ...{ id, class: verdict.class, why: verdict.sentence, action, ...told },
            ...{ secret: null, picture_path: picturePath, void_reason: voidReason },
          },
        };
        const waiting = await store.questions.ask(tx, { id: task.id, executionId }, question, null);
        if (!waiting) throw new TaskNotHeld();
        await store.logs.append(append, {
          taskId: task.id,
          level: 'info',
          message: `Asked for a yes: ${action}. ${verdict.sentence}`,
          stepId: stepIdOf(index),
          data: { policy, approval_id: id },
        });
        await append({ taskId: task.id, kind: 'status', data: { status: progressOf(waiting) } });
        await store.tellConversation(tx, append, waiting);
      }),

    /** The attempt ends without an act, and the task waits until a person watches. */
    askForWatcher: (turn: Turn, attempt: StepRow, verdict: GateVerdict): Promise<void> =>
      changing(turn, async (tx, append) => {
        const { task, executionId, index, step } = turn;
        const policy = policyOf(verdict);
        await attempts.end(tx, append, turn, attempt, { status: 'failed', error: 'It waits for a watcher.', policy });
        const question = {
          text: `"${titleOf(step)}" waits until you watch: open the session, and then go on. ${verdict.sentence}`,
          ...{ stepId: stepIdOf(index), expiresInSecs, kind: 'choice' as const, choices: watching, takesWords: false },
        };
        const waiting = await store.questions.ask(tx, { id: task.id, executionId }, question, null);
        if (!waiting) throw new TaskNotHeld();
        await say(append, turn, `Waits for a watcher: ${titleOf(step)}`);
        await append({ taskId: task.id, kind: 'status', data: { status: progressOf(waiting) } });
        await store.tellConversation(tx, append, waiting);
      }),

    /** A person said no: the step of a model ends as failed, and the model is told. */
    refuseDecided: (turn: Turn, no: ApprovalRow, error: string, cut: string): Promise<void> =>
      changing(turn, async (tx, append) => {
        const policy: PolicyVerdict = { class: no.class, outcome: 'deny', sentence: error };
        const attempt = await attempts.begin(tx, append, turn, { epoch: turn.attempts.at(-1)?.epoch ?? 0 });
        await attempts.end(tx, append, turn, attempt, { status: 'failed', error, policy });
        if (turn.decision) await cutHeld(tx, turn, turn.decision, cut);
      }),
  };
}

const placeOf = ({ page }: Pick<AskedAct, 'page'>): string => (page ? ` on ${URL.parse(page)?.host || page}` : '');

/** As people read it: waiting for a watcher is waiting for a person too. */
export const policyOf = ({ class: name, outcome, sentence }: GateVerdict): PolicyVerdict => ({
  class: name,
  outcome: outcome === 'watch' ? 'ask' : outcome,
  sentence,
});
