// What follows when a host does not act because of the rules of the task: a person is asked, or the step fails with the sentence.

import type { AskedAct } from '@pilothouse/bus';
import { type ApprovalRow, type StepRow, type Store, titleOf } from '@pilothouse/store';
import type { Outcome } from '../browsers/outcome.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Next, Turn } from '../ledger/turn.ts';
import { decidedFailure } from '../policy/retries.ts';

type FailedOutcome = Extract<Outcome, { type: 'failed' }>;

export function createApprovals({ store, ledger }: { store: Store; ledger: Ledger }) {
  /** Why the yes under which the attempt was begun did not count; null where there was none. */
  function voidReasonOf(before: ApprovalRow | undefined, asked: AskedAct): string | null {
    if (!before) return null;
    const was = before.facts as Partial<AskedAct>;
    const names = { name: 'its name', value: 'what is given', form_action: 'where the form is sent' } as const;
    const others = {
      page: 'the address of the page',
      frame_origin: 'the site of its frame',
      role: 'its kind',
    } as const;
    const changed: string[] = Object.entries({ ...names, ...others }).flatMap(([key, words]) => {
      const field = key as keyof typeof names | keyof typeof others;
      return was[field] === asked[field] ? [] : [words];
    });
    const [from, to] = [was.amounts ?? [], asked.amounts].map((list) => list.join(', ') || 'none');
    if (from !== to) changed.push(`the amounts (${from}, now ${to})`);
    return `The page changed after the yes, so nothing was done: ${changed.join('; ') || 'what a click reaches'}.`;
  }

  return {
    /** Undefined where the failure is no matter of a person. */
    async wait(turn: Turn, attempt: StepRow, { failure, verdict, asked }: FailedOutcome): Promise<Next | undefined> {
      if (!verdict) return undefined;
      if (failure === 'needs_watcher') {
        await ledger.askForWatcher(turn, attempt, verdict);
        return 'wait';
      }
      if (failure !== 'needs_yes' || !asked) return undefined;
      const approvals = await store.approvals.of(turn.task.id);
      if (approvals.some(({ answer, fingerprint }) => answer === 'no' && fingerprint === asked.fingerprint))
        return undefined;
      const used = approvals.find(({ id, answer }) => id === attempt.approval_id && answer === 'once');
      const picture = await store.observations.lastPictureOf(turn.task.id);
      const picturePath = picture ? `/api/tasks/${turn.task.id}/observations/${picture.id}/image` : null;
      await ledger.askForYes(turn, attempt, { verdict, asked, voidReason: voidReasonOf(used, asked), picturePath });
      return 'wait';
    },

    /** A person said no to this step. */
    async saidNo(turn: Turn, no: ApprovalRow, giveUp: (turn: Turn, reason: string) => Promise<Next>): Promise<Next> {
      const error = `The person said no: ${titleOf(turn.step)}`;
      if (!turn.decision) return giveUp(turn, error);
      await ledger.refuseDecided(turn, no, error, `${decidedFailure}: ${error}`);
      return 'again';
    },
  };
}
export type Approvals = ReturnType<typeof createApprovals>;
