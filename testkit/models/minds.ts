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

type PlannedItem = { text: string; site?: string };

/** Answers requests for a plan with what `plan` makes of the words that a person has said of it, and all others with `mind`. */
export const planning =
  (plan: (said: string[]) => PlannedItem[], mind: Mind): Mind =>
  (request) => {
    if (request.tools.some(({ name }) => name !== 'plan')) return mind(request);
    const said = request.messages.flatMap(({ role, text }) =>
      role === 'user' ? [...text.matchAll(/^A person says: (.*)$/gm)].map(([, words = '']) => words) : [],
    );
    return { calls: [{ name: 'plan', input: { items: plan(said) } }] };
  };

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
