// Puts values into fields, and reads each back: some fields accept less than they are given.

import type { Target } from '@pilothouse/contract';
import { pause } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { FoundElement } from '../dom/element.ts';
import { typeInto } from '../dom/injected/type-into.ts';
import type { ActionTools } from './action-tools.ts';
import { clickOn } from './pointer.ts';

const pollMs = 100;
/** Pages often fill a list only after they show it. */
const optionMs = 3000;

export async function type(tools: ActionTools, target: Target, text: string): Promise<void> {
  const { deadline, touch } = tools;
  const field = await tools.reach(target, 'fill', { isTouch: false });
  const { outcome, kind, isFocused } = await touch((firm) => field.call(typeInto, [{ text, how: 'replace' }], firm));
  if (outcome !== 'done') throw new StepFailure('unsupported', 'nothing can be typed there');
  const value = await field.call(read, [], deadline);
  const isSame = kind === 'rich' ? loose(value) === loose(text) : value === plain(text);
  if (isSame) return;
  // Not typed again: the text could go there again.
  if (!isFocused)
    throw new StepFailure('focus_taken', 'something else took the focus from the field while it was typed');
  throw new StepFailure('wrong_value', 'the field holds something else than was typed');
}

export async function select(tools: ActionTools, target: Target, option: string): Promise<void> {
  const { deadline, touch } = tools;
  const list = await tools.reach(target, 'select', { isTouch: false });
  const bounded = deadline.atMost(optionMs);
  let outcome: Awaited<ReturnType<typeof choose>> | undefined;
  for (;;) {
    const before = outcome;
    outcome = await touch((firm) => list.call(choose, [option], firm)).catch((error) => {
      // Time ran out while a list without the option was looked at again.
      if (before && bounded.isOver() && !deadline.signal.aborted) return before;
      throw error;
    });
    if (outcome === 'chosen') return;
    if (outcome === 'no_list') return selectFromMenu(tools, list, option, target);
    await pause(pollMs, bounded);
    if (bounded.isOver()) throw new StepFailure('not_found', 'the list has no such option');
  }
}

/** For a list that the page draws itself: one click opens it, another chooses the option. */
async function selectFromMenu(tools: ActionTools, list: FoundElement, option: string, target: Target): Promise<void> {
  const { point } = await list.ready({ isTouch: true }, tools.deadline);
  await clickOn(tools, list, point);
  const frame = typeof target === 'object' ? target.frame : undefined;
  const chosen = await tools.reach({ role: 'option', name: option, frame }, 'press');
  await clickOn(tools, chosen, tools.point());
}

export async function check(tools: ActionTools, target: Target, checked: boolean): Promise<void> {
  const { deadline } = tools;
  const box = await tools.reach(target, 'check');
  if ((await box.call(isChecked, [], deadline)) === checked) return;
  await clickOn(tools, box, tools.point());
  if ((await box.call(isChecked, [], deadline)) !== checked) {
    throw new StepFailure('wrong_value', `it is still ${checked ? 'not ' : ''}checked`);
  }
}

/** As a field stores a text: with one kind of line break. */
const plain = (text: string) => text.replaceAll(/\r\n?/g, '\n');
/** Rich text ends with an extra line break, and has some spaces as non-breaking ones. */
const loose = (text: string) => plain(text).replaceAll('\u00a0', ' ').trimEnd();

// All below runs in the page.

function read(element: Element): string {
  const field: unknown = ('control' in element ? element.control : undefined) ?? element;
  if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) return field.value;
  return field instanceof HTMLElement ? field.innerText : '';
}

function choose(element: Element, wanted: string): 'chosen' | 'no_option' | 'no_list' {
  const list: unknown = ('control' in element ? element.control : undefined) ?? element;
  if (!(list instanceof HTMLSelectElement)) return 'no_list';
  const same = (text: string) => text.trim().replace(/\s+/g, ' ').toLowerCase();
  const options = [...list.options].filter(({ disabled }) => !disabled);
  const option =
    options.find(({ label }) => label === wanted) ??
    options.find(({ value }) => value === wanted) ??
    options.find(({ label }) => same(label) === same(wanted));
  if (!option) return 'no_option';
  list.focus();
  if (option.selected && !list.multiple) return 'chosen';
  option.selected = true;
  list.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  list.dispatchEvent(new Event('change', { bubbles: true }));
  return 'chosen';
}

function isChecked(element: Element): boolean {
  const box: unknown = ('control' in element ? element.control : undefined) ?? element;
  if (box instanceof HTMLInputElement) return box.checked;
  return box instanceof Element && box.getAttribute('aria-checked') === 'true';
}
