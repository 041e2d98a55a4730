// Minds that need no view of a page: a list of answers, and one that is slow and broken.
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

/** Every fault there is, by the name that tests give it. */
export const faults = {
  rateLimited: { fault: 'rate_limited', retryAfter: '2' },
  serverError: { fault: 'status', status: 500 },
  overloaded: { fault: 'status', status: 529, code: 'overloaded_error' },
  silent: { fault: 'stall', after: 'nothing' },
  stalled: { fault: 'stall', after: 'beginning' },
  cut: { fault: 'cut', after: 'nothing' },
  cutInAnswer: { fault: 'cut', after: 'beginning' },
  endlessBody: { fault: 'endless_body' },
  endlessText: { text: 'And so on, and so on. '.repeat(400), isCut: true },
  refusal: { text: 'I cannot help with that.', isRefusal: true },
  cutArguments: { calls: [{ name: 'click', inputText: '{"ref": "e4' }] },
  wrongArguments: { calls: [{ name: 'click', input: { reference: 4 } }] },
  unknownTool: { calls: [{ name: 'evaluate', input: { code: 'alert(1)' } }] },
} satisfies Record<string, MindAnswer | Fault>;

/** Thinks with `mind`, but every n-th request meets the next of the faults. */
export function slowAndBroken(
  mind: Mind,
  given: { every: number; faults: readonly (MindAnswer | Fault)[]; slowMs?: number },
): Mind {
  let asked = 0;
  return async (request) => {
    asked += 1;
    if (asked % given.every === 0) {
      const fault = given.faults[(asked / given.every - 1) % given.faults.length];
      if (fault) return fault;
    }
    const thought = await mind(request);
    return given.slowMs === undefined || 'fault' in thought
      ? thought
      : { fault: 'slow', ms: given.slowMs, answer: thought };
  };
}
