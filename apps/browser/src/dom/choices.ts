// What a field offers to choose from, by refs that steps can use.

import type { Deadline } from '../common/deadline.ts';
import type { Spot } from './find.ts';
import type { Suggestions } from './injected/suggestions.ts';
import type { Refs } from './refs.ts';

export type Choices = {
  /** Of the field itself. */
  ref: string;
  /** Before the field is used: what is seen already is no suggestion. */
  begin(deadline: Deadline): Promise<void>;
  list(deadline: Deadline): Promise<Suggestions>;
  /** For the mark of an option. */
  refOf(mark: number): string;
};

export async function choicesOf({ view: { world }, element }: Spot, refs: Refs, deadline: Deadline): Promise<Choices> {
  const ref = refs.give(world, await world.call('mark', [element], deadline));
  return {
    ref,
    begin: (limit) => world.call('beginSuggestions', [], limit),
    list: (limit) => world.call('suggestions', [element], limit),
    refOf: (mark) => refs.give(world, mark),
  };
}
