// What a task waits for, in words.

import type { InboxItem, IrreversibleAnswer } from '@pilothouse/contract';
import { describeAct } from '../approval/describe-act.ts';

export type Wait = { kind: 'question' | 'approval' | 'plan' | 'doubt' | 'driven'; word: string; title: string };

export function describeWait(item: Pick<InboxItem, 'question' | 'takeover' | 'title'>): Wait {
  if (item.takeover && item.takeover.status !== 'ended')
    return { kind: 'driven', word: 'You drive', title: 'The agent waits until you hand the wheel back.' };
  if (item.question?.approval)
    return {
      kind: 'approval',
      word: 'Asks for your yes',
      title: describeAct(item.question.approval.action.slice(0, 300)),
    };
  const title = item.question?.text ?? item.title;
  if (item.question?.options) return { kind: 'doubt', word: 'In doubt', title };
  if (item.question?.plan_items)
    return { kind: 'plan', word: 'Proposes a plan', title: title.split('\n', 1)[0] ?? title };
  const word = item.question?.kind === 'drive' ? 'Needs you at the wheel' : 'Asks';
  return { kind: 'question', word, title };
}

/** The answers to a step that may or may not have been done. */
export const answerWords: Record<IrreversibleAnswer, string> = {
  done: 'It was done, go on',
  repeat: 'Do it again',
  stop: 'Stop here',
};
