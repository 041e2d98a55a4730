// The rows of a model's decisions between the rows of a timeline: each before the first of its steps.

import type { Decision } from '../live/api-types.ts';
import type { DecisionItem, StepItem, TimelineItem } from './timeline-model.ts';

type Options = {
  items: readonly TimelineItem[];
  /** Undefined until they are read: then what the steps themselves say of their decision is used. */
  decisions: readonly Decision[] | undefined;
  /** The task is at work, and not at a person. */
  isAtWork: boolean;
};

/** Longer texts of a model are cut here: one word without a break takes the square of its length to lay out. */
const maxChars = 2000;

export function withDecisions({ items, decisions, isAtWork }: Options): TimelineItem[] {
  if (!decisions) return withOwnWords(items);
  const rows = decisions.map(rowOf);
  const newest = decisions.at(-1);
  const last = rows.at(-1);
  if (last && newest?.status === 'open') last.isNow = true;
  const firsts = firstSteps(decisions);
  const list: TimelineItem[] = [];
  let next = 0;
  for (const item of items) {
    for (let row = rows[next]; row && isAfter(item, firsts[next] ?? 0, row.at); row = rows[next]) {
      list.push(row);
      next += 1;
    }
    list.push(item.type === 'step' ? withoutWords(item) : item);
  }
  list.push(...rows.slice(next));
  const isDeciding = isAtWork && newest?.status !== 'open' && !list.some(isRunning);
  return isDeciding ? [...list, decidingRow] : list;
}

/** The index of the first step of each decision: steps are counted through all of them, and those never begun do not count. */
function firstSteps(decisions: readonly Decision[]): number[] {
  let next = 1;
  return decisions.map(({ actions }) => {
    const first = next;
    next += actions.reduce((sum, { step_ids }) => sum + step_ids.length, 0);
    return first;
  });
}

/** Whether the item follows the decision: a step by its number, anything else by its time. What was asked at first never does. */
function isAfter(item: TimelineItem, firstStep: number, decidedAt: string): boolean {
  if (item.type === 'step') return item.index >= firstStep;
  return item.type !== 'prompt' && item.at !== undefined && Date.parse(item.at) > Date.parse(decidedAt);
}

const isRunning = (item: TimelineItem): boolean => item.type === 'step' && item.state === 'running';

function rowOf({ number, decided_at, goal, evaluation, thinking, actions, cut_reason, call }: Decision): DecisionItem {
  return {
    type: 'decision',
    key: `decision ${number}`,
    number,
    at: decided_at,
    goal: bounded(goal) ?? `Decision ${number}`,
    evaluation: bounded(evaluation),
    thinking: bounded(thinking),
    refused: actions.flatMap(({ tool, refused }) =>
      refused === null ? [] : [`${tool.slice(0, 60)}: ${bounded(refused)}`],
    ),
    cut: bounded(cut_reason),
    call,
    isNow: false,
    isDeciding: false,
  };
}

const decidingRow: DecisionItem = {
  ...{ type: 'decision', key: 'deciding', at: '', goal: 'Decides what comes next', evaluation: null, thinking: null },
  ...{ number: undefined, refused: [], cut: null, call: undefined, isNow: true, isDeciding: true },
};

const bounded = (text: string | null): string | null =>
  text !== null && text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text;

const withoutWords = (item: StepItem): StepItem =>
  item.thinking === null && item.nextGoal === null ? item : { ...item, thinking: null, nextGoal: null };

/** Steps that follow each other with the same words are of one decision. */
function withOwnWords(items: readonly TimelineItem[]): TimelineItem[] {
  let said = '';
  return items.flatMap((item): TimelineItem[] => {
    if (item.type !== 'step') return [item];
    const { nextGoal, evaluation, thinking, key, at } = item;
    if (nextGoal === null && thinking === null) return [item];
    const words = JSON.stringify([nextGoal, evaluation, thinking]);
    const isSame = words === said;
    said = words;
    if (isSame) return [withoutWords(item)];
    const row: DecisionItem = {
      ...decidingRow,
      ...{ key: `decision of ${key}`, at: at ?? '', goal: bounded(nextGoal) ?? item.title },
      ...{ evaluation: bounded(evaluation), thinking: bounded(thinking), isNow: false, isDeciding: false },
    };
    return [row, withoutWords(item)];
  });
}
