// A mind that is often wrong: thinks with another one, and spoils its answers by rate, in eight ways, from a seed.
import { createRandom, type Random } from '../random.ts';
import type { Mind, MindAnswer, MindCall, MindRequest } from './mind.ts';
import { mistake } from './teacher.ts';
import { readPage } from './view-text.ts';

type Spoil = (request: MindRequest, meant: MindAnswer, random: Random) => MindAnswer;

/** What is told of the goal shows that the answer does not bring the plan further. */
const wrongly = (call: MindCall): MindAnswer => ({ text: `check: unknown\ngoal: ${mistake}`, calls: [call] });

const spoils = {
  unknownRef: () => wrongly({ name: 'click', input: { ref: 'e99999' } }),
  unknownTool: () => wrongly({ name: 'evaluate', input: { code: 'alert(1)' } }),
  invalidArguments: () => wrongly({ name: 'click', input: { reference: 4 } }),
  cutArguments: () => wrongly({ name: 'fill', inputText: '{"items": [{"ref": "e4' }),
  textInsteadOfCall: () => ({ text: `check: unknown\ngoal: ${mistake}\nI think that click(e4) is what follows.` }),
  lastActAgain: ({ messages }, meant) => {
    const last = messages.findLast(({ calls }) => calls.length > 0)?.calls[0];
    return last ? wrongly({ name: last.name, input: last.input }) : meant;
  },
  prematureFinish: () => wrongly({ name: 'finish', input: { state: 'done', summary: 'It is done.' } }),
  wrongElement: ({ lastUserText }, meant, random) => {
    const { handles } = readPage(lastUserText);
    return handles.length > 0 ? wrongly({ name: 'click', input: { ref: random.pick(handles).ref } }) : meant;
  },
} satisfies Record<string, Spoil>;

export function noisy(mind: Mind, { rate, seed }: { rate: number; seed: number }): Mind {
  const random = createRandom(seed);
  const all: Spoil[] = Object.values(spoils);
  return async (request) => {
    const meant = await mind(request);
    if ('fault' in meant || !random.is(rate)) return meant;
    return random.pick(all)(request, meant, random);
  };
}
