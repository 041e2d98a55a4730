// Minds that need no view of a page.
import type { Fault, Mind, MindAnswer } from './mind.ts';

/** Gives the answers one after the other, and fails the request after the last. */
export function scripted(answers: readonly (MindAnswer | Fault)[]): Mind {
  let next = 0;
  return () => {
    const answer = answers[next];
    next += 1;
    return (
      answer ?? { fault: 'status', status: 500, code: 'script_ended', message: 'The script has no further answer.' }
    );
  };
}
