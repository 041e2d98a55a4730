// Chooses an option: of a list, of a menu that the page draws, or of the suggestions that come while a field is typed into.
// Takes the best match or none: what fits several options is refused with their names.

import type { Target } from '@pilothouse/contract';
import { type Deadline, pause } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { Choices } from '../dom/choices.ts';
import type { FoundElement } from '../dom/element.ts';
import type { Suggestions } from '../dom/injected/suggestions.ts';
import { typeInto } from '../dom/injected/type-into.ts';
import type { ActionTools } from './action-tools.ts';
import { bestOf, offered } from './best-option.ts';
import { clickOn } from './pointer.ts';
import { press } from './press.ts';

const pollMs = 100;
/** Pages often fill a list only after they show it, and ask their server for suggestions. */
const optionMs = 3000;
/** Kept of a short deadline for the last look: what there is to choose from is a better answer than that time is over. */
const lastLookMs = 300;
/** A looser match counts only where the suggestions have not changed for this long: a better one may be on its way. */
const settledMs = 500;
/** How long a page may take to show that it took the option. */
const takenMs = 1000;
const maxArrows = 60;

type Field = { element: FoundElement; choices: Choices; isTyped: boolean };

export async function select(tools: ActionTools, target: Target, option: string): Promise<void> {
  const element = await tools.reach(target, 'select', { isTouch: false });
  const kind = await element.call(kindOf, [], tools.deadline);
  if (kind === 'list') return chooseInList(tools, element, option);
  const choices = await element.choices(tools.deadline);
  const field = { element, choices, isTyped: kind === 'text' };
  await begin(tools, field, option);
  const found = await bestSuggestion(tools, field, option);
  if (found.value !== null) return takeValue(tools, element, found.value);
  await take(tools, field, option, found);
}

/** A list of the browser's own. */
async function chooseInList(tools: ActionTools, list: FoundElement, wanted: string): Promise<void> {
  const { deadline, touch } = tools;
  const bounded = deadline.keeping(lastLookMs).atMost(optionMs);
  for (;;) {
    const options = await list.call(readOptions, [], deadline);
    const exact = options.findIndex((one) => one.value === wanted && one.label !== wanted);
    const texts = options.map(({ label }) => label);
    const isLate = bounded.isOver();
    const index = bestOf(texts, wanted, { isLoose: isLate, other: exact });
    if (index !== undefined && (await touch((firm) => list.call(pick, [options[index] ?? null], firm)))) return;
    if (isLate) throw new StepFailure('not_found', `the list has no such option; ${offered(texts)}`);
    await pause(pollMs, bounded);
    if (deadline.signal.aborted) throw new StepFailure('timeout', 'the choice was cut short');
  }
}

/** Opens the list, or types what is wanted. */
async function begin(tools: ActionTools, { element, choices, isTyped }: Field, option: string): Promise<void> {
  await choices.begin(tools.deadline);
  if (!isTyped) {
    const { point } = await element.ready({ isTouch: true }, tools.deadline);
    return clickOn(tools, element, point);
  }
  const { outcome } = await tools.touch((firm) => element.call(typeInto, [{ text: option, how: 'replace' }], firm));
  if (outcome !== 'done') throw new StepFailure('unsupported', 'nothing can be typed there');
}

type Suggestion = Suggestions['options'][number];

/** Waits for suggestions, and for the page to stop changing them where none fits to the letter. */
async function bestSuggestion({ deadline }: ActionTools, field: Field, wanted: string): Promise<Suggestion> {
  const bounded = deadline.keeping(lastLookMs).atMost(optionMs);
  let before = '';
  let changedAt = performance.now();
  let texts: string[] = [];
  for (;;) {
    const { options } = await field.choices.list(deadline);
    if (options.length > 0) texts = options.map(({ text }) => text);
    const now = JSON.stringify(options.map(({ mark, text }) => [mark, text]));
    const isSame = now === before;
    if (!isSame) changedAt = performance.now();
    before = now;
    const isSettled = performance.now() - changedAt >= settledMs || bounded.isOver();
    const index = isSame || bounded.isOver() ? bestOf(texts, wanted, { isLoose: isSettled }) : undefined;
    const found = index === undefined ? undefined : options[index];
    if (found) return found;
    if (bounded.isOver())
      throw new StepFailure(
        'not_found',
        texts.length > 0 ? `no such option came; ${offered(texts)}` : 'nothing to choose from came',
      );
    await pause(pollMs, bounded);
    if (deadline.signal.aborted) throw new StepFailure('timeout', 'the choice was cut short');
  }
}

/** The browser draws these suggestions itself: choosing one puts its value into the field. */
async function takeValue({ touch, deadline }: ActionTools, element: FoundElement, value: string): Promise<void> {
  await touch((firm) => element.call(typeInto, [{ text: value, how: 'replace' }], firm));
  await touch((firm) => element.call(tellChange, [], firm));
  if ((await element.call(readValue, [], deadline)) !== value)
    throw new StepFailure('wrong_value', 'the field holds something else than was chosen');
}

/** By the mouse, as people do; by keys where the page listens to nothing else. */
async function take(tools: ActionTools, field: Field, typed: string, found: Suggestion): Promise<void> {
  const option = await tools.reach({ ref: field.choices.refOf(found.mark ?? 0) }, 'press');
  await clickOn(tools, option, tools.point());
  const taken = await isTaken(tools, field, typed, found);
  if (taken === 'yes' || !field.isTyped) return;
  if (await takeByKeys(tools, field, typed, found)) return;
  if (taken === 'no') throw new StepFailure('wrong_value', 'the page did not take the option');
}

/** Undefined for a failure of the page; a step whose time is over, or whose driver was replaced, fails for that reason. */
const unlessOver =
  (deadline: Deadline) =>
  (error: unknown): undefined => {
    if (deadline.isOver()) throw error;
  };

/** `unclear`: the list is gone and the field holds what was typed, which is the option's own text. */
async function isTaken(
  { deadline }: ActionTools,
  { choices, isTyped }: Field,
  typed: string,
  { mark, text }: Suggestion,
): Promise<'yes' | 'no' | 'unclear'> {
  const bounded = deadline.atMost(takenMs);
  for (;;) {
    // A page that was left because of the choice has taken it.
    const now = await choices.list(deadline).catch(unlessOver(deadline));
    if (!now || !isTyped || (now.value !== null && now.value !== typed)) return 'yes';
    const isThere = now.options.some((one) => one.mark === mark);
    const isExact = text === typed;
    if (!isThere && isExact) return now.isFocused ? 'yes' : 'unclear';
    if (bounded.isOver()) return 'no';
    await pause(pollMs, bounded);
  }
}

/** Enter is pressed only where the page shows that it will take the option: elsewhere it would send the form. */
async function takeByKeys(tools: ActionTools, field: Field, typed: string, { text }: Suggestion): Promise<boolean> {
  const { deadline } = tools;
  const { ref } = field.choices;
  await begin(tools, field, typed);
  const again = await bestSuggestion(tools, field, text).catch(unlessOver(deadline));
  if (!again) return false;
  const first = await field.choices.list(deadline);
  for (let count = 0; count < Math.min(maxArrows, first.options.length + 1); count += 1) {
    await press(tools, 'ArrowDown', { ref });
    const now = await field.choices.list(deadline);
    const active = activeOf(now, first);
    if (!active) return false;
    if (active.text !== text) continue;
    await press(tools, 'Enter', { ref });
    const after = await field.choices.list(deadline).catch(unlessOver(deadline));
    return !after || after.value !== typed || !after.options.some((one) => one.text === text);
  }
  return false;
}

/** The option that the page tells to be the active one, or the only one that looks other than it did. */
function activeOf({ active, options }: Suggestions, before: Suggestions): Suggestion | undefined {
  if (active !== null) return options[active];
  const changed = options.filter(({ look }, index) => look !== before.options[index]?.look);
  return changed.length === 1 ? changed[0] : undefined;
}

// All below runs in the page.

function kindOf(element: Element): 'list' | 'text' | 'drawn' {
  const field: unknown = ('control' in element ? element.control : undefined) ?? element;
  if (field instanceof HTMLSelectElement) return 'list';
  const isText = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
  if (isText) return field.readOnly ? 'drawn' : 'text';
  return field instanceof HTMLElement && field.isContentEditable ? 'text' : 'drawn';
}

type NativeOption = { index: number; label: string; value: string };

function readOptions(element: Element): NativeOption[] {
  const list: unknown = ('control' in element ? element.control : undefined) ?? element;
  if (!(list instanceof HTMLSelectElement)) return [];
  const all = [...list.options].map(({ label, value, disabled }, index) => ({ index, label, value, disabled }));
  const isSame = (one: NativeOption, other: NativeOption) => one.label === other.label && one.value === other.value;
  const usable = all.filter(({ disabled }) => !disabled).map(({ index, label, value }) => ({ index, label, value }));
  return usable.filter((one, place) => usable.findIndex((other) => isSame(one, other)) === place);
}

/** False where the list has changed since it was read. */
function pick(element: Element, wanted: NativeOption | null): boolean {
  const list: unknown = ('control' in element ? element.control : undefined) ?? element;
  if (!(list instanceof HTMLSelectElement) || !wanted) return false;
  const option = list.options[wanted.index];
  if (!option || option.disabled || option.label !== wanted.label || option.value !== wanted.value) return false;
  list.focus();
  if (option.selected && !list.multiple) return true;
  option.selected = true;
  list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  list.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}

function tellChange(element: Element): void {
  const field: unknown = ('control' in element ? element.control : undefined) ?? element;
  if (field instanceof HTMLElement) field.dispatchEvent(new Event('change', { bubbles: true }));
}

function readValue(element: Element): string {
  const field: unknown = ('control' in element ? element.control : undefined) ?? element;
  return field instanceof HTMLInputElement ? field.value : '';
}
