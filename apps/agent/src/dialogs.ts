import type { Dialog } from '@pilothouse/bus';
import type { Grip, Hands } from './hands.ts';
import type { Record } from './record.ts';
import type { Turn } from './turn.ts';

/** Pages that say one thing after the other are not listened to for ever. */
const maxAlerts = 5;
const answerMs = 5000;

/** What becomes of a question of the page that no step of the plan answers. */
export function createDialogs({ hands, record }: { hands: Hands; record: Record }) {
  return {
    /** Closes alerts, which only tell something; what still asks after that is the answer. */
    async clear(turn: Turn, grip: Grip): Promise<Dialog | null> {
      const { session, signal } = turn;
      for (let count = 0; count < maxAlerts; count++) {
        const dialog = await hands.dialog(session.id, grip);
        if (dialog?.kind !== 'alert') return dialog;
        await record.note(turn, `The page says: ${dialog.message}`);
        const step = { action: 'answer_dialog', accept: true } as const;
        await hands.act(session.id, grip, { step, deadlineMs: answerMs, bring: [], signal });
      }
      return hands.dialog(session.id, grip);
    },

    isAnsweredNext: ({ steps, index }: Turn): boolean => steps[index]?.action === 'answer_dialog',
  };
}

export const unanswered = ({ kind, message }: Dialog): string =>
  `The page asks "${message}" (${kind}), and the next step does not answer it: add an answer_dialog step.`;
