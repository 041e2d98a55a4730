// What the policy said of an act, in words.

import type { Verdict } from '../live/api-types.ts';

const classWords: Record<Verdict['class'], string> = {
  read: 'Reads',
  move: 'Moves',
  write: 'Writes',
  submit: 'Sends a form',
  dialog: 'Agrees to a dialog',
  reach: 'Goes to another site',
  download: 'Takes a file',
  upload: 'Gives a file',
  credential: 'Writes a secret',
  commit: 'Commits you',
};
const outcomeWords = { allow: 'allowed', ask: 'asked', deny: 'refused' } as const;
/** One line: more would not be seen. */
const sentenceLength = 300;
const nameLength = 60;

export type VerdictWords = { said: string; sentence: string; approvedBy: string | undefined };

/** A later release may know other classes and outcomes: they are shown as they are. */
export function describeVerdict({ class: kind, outcome, sentence, approved_by }: Verdict): VerdictWords {
  return {
    said: `${classWords[kind] ?? kind} · ${outcomeWords[outcome] ?? outcome}`,
    sentence: sentence.slice(0, sentenceLength),
    approvedBy: approved_by?.slice(0, nameLength),
  };
}
