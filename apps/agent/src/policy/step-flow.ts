// Where the words of a step come from that a model decided, as its gate has to know: people gave them, pages showed them, or the
// model made them up. Reads rows, and believes no word of the model.

import type { Gate } from '@pilothouse/bus';
import { type Step, secretRefOf } from '@pilothouse/contract';
import { carriesTooMuch, shownParts, sourceOf } from '@pilothouse/policy';
import type { DecisionRow, Store } from '@pilothouse/store';
import type { Turn } from '../ledger/turn.ts';
import { addressesIn, isSameAddress } from './addresses.ts';

type Flow = Pick<Gate, 'shown_at' | 'is_unsaid' | 'is_new_address' | 'carries_much'>;
type Known = { said: readonly string[]; decisions: Pick<DecisionRow, 'url' | 'first_step' | 'last_step'>[] };

/** They may send what the page holds. */
const sending = new Set<Step['action']>(['click', 'double_click', 'press']);

export async function flowOf(store: Store, turn: Turn, { said, decisions }: Known): Promise<Flow> {
  const { step, task } = turn;
  if ('url' in step) return step.url === undefined ? {} : addressFlow(step.url, said, decisions);
  if (sending.has(step.action)) return { is_unsaid: isUnsaid(turn, said, decisions) };
  const words = wordsOf(step);
  if (words === undefined || sourceOf(words, said, []).from === 'given') return {};
  const shown = await store.decisions.shownIn(task.id);
  const source = sourceOf(
    words,
    said,
    shown.flatMap(({ url, view }) => shownParts(url, view)),
  );
  return source.from === 'seen' ? { shown_at: source.hosts } : {};
}

/** What a step writes into a page; undefined where it writes nothing of its own. */
function wordsOf(step: Step): string | undefined {
  // The name of a secret that people named: its value goes only where they said.
  if (step.action === 'type') return secretRefOf(step.text) ? undefined : step.text;
  if (step.action === 'select') return step.option;
  return step.action === 'answer_dialog' ? step.text : undefined;
}

function addressFlow(url: string, said: readonly string[], decisions: Known['decisions']): Flow {
  const to = URL.parse(url);
  if (!to?.host) return {};
  const isFront = to.pathname === '/' && to.search === '';
  const isGiven = addressesIn(said).some((one) => isSameAddress(one, to));
  const isKnown = isFront || isGiven || decisions.some((one) => one.url === url);
  return isKnown ? {} : { is_new_address: true, carries_much: carriesTooMuch(url, said) };
}

/** Whether a step before it wrote words into the same page that no person gave. */
function isUnsaid({ steps, index, decision }: Turn, said: readonly string[], decisions: Known['decisions']): boolean {
  const page = placeOf(decision?.url);
  return decisions
    .filter(({ url }) => placeOf(url) === page)
    .flatMap(({ first_step, last_step }) => steps.slice(first_step - 1, Math.min(last_step, index - 1)))
    .some((step) => {
      const words = wordsOf(step);
      return words !== undefined && sourceOf(words, said, []).from !== 'given';
    });
}

function placeOf(url: string | null | undefined): string {
  const { origin, pathname } = URL.parse(url ?? '') ?? {};
  return `${origin}${pathname}`;
}
