// What has to hold of a run of evals, in sentences: none where all of it does.
import type { EvalFigures } from './run.ts';

const mostTokensOfCall = 24_000;
/** Of a mind that does not know what it does: the loop guard ends the task then. */
const mostEqualActs = 6;

export function brokenBounds(figures: EvalFigures): string[] {
  const { mind, tasks, mismatches, hung, not_run, without_a_sentence, most_equal_acts, difference_to_books } = figures;
  const broken: [isBroken: boolean, words: string][] = [
    [tasks === 0, 'no task was run'],
    [not_run > 0, `${not_run} tasks could not be run`],
    // A noisy mind may fail a task.
    [mind === 'teacher' && mismatches.length > 0, `${mismatches.length} tasks did not end as expected`],
    [hung > 0, `${hung} tasks hung`],
    [without_a_sentence > 0, `${without_a_sentence} tasks failed without a sentence`],
    [mind === 'noisy' && most_equal_acts > mostEqualActs, `${most_equal_acts} equal acts in a row`],
    [difference_to_books > 0, `the status of tasks and the books differ by ${difference_to_books} calls and tokens`],
    // A cost that is not there is no number, and no difference of 0.
    [figures.cost_micros.difference !== 0, `costs differ from the books by ${figures.cost_micros.difference} micros`],
    [figures.largest_call_tokens > mostTokensOfCall, `a call of ${figures.largest_call_tokens} tokens`],
  ];
  return broken.flatMap(([isBroken, words]) => (isBroken ? words : []));
}
