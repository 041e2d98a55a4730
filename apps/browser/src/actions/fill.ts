// Putting values into fields, each read back: some fields take less than they are given.

import type { Target } from '@pilothouse/contract';
import { pause } from '../deadline.ts';
import type { Found } from '../eyes/found.ts';
import { StepFailure } from '../failure.ts';
import type { Hands } from './hands.ts';
import { clickOn } from './touch.ts';

const POLL_MS = 100;
/** Lists are often filled only after they are shown. */
const OPTION_MS = 3000;

export async function type(hands: Hands, target: Target, text: string): Promise<void> {
  const { page, deadline, touch } = hands;
  const field = await hands.reach(target, 'fill', { isTouch: false });
  const kind = await touch((firm) => field.call(prepare, [], firm));
  if (kind === 'fixed') throw new StepFailure('unsupported', 'nothing can be typed there');
  if (kind === 'chosen') await touch((firm) => field.call(setValue, [text], firm));
  else if (text === '') await touch(() => page.keyboard.press('Delete'));
  else await touch(() => page.keyboard.insertText(text));
  const held = await field.call(read, [], deadline);
  const isSame = kind === 'rich' ? loose(held) === loose(text) : held === plain(text);
  if (!isSame) throw new StepFailure('wrong_value', 'the field holds something else than was typed');
}

export async function select(hands: Hands, target: Target, option: string): Promise<void> {
  const { deadline, touch } = hands;
  const list = await hands.reach(target, 'select', { isTouch: false });
  const bounded = deadline.atMost(OPTION_MS);
  let outcome: Awaited<ReturnType<typeof choose>> | undefined;
  for (;;) {
    const before = outcome;
    outcome = await touch((firm) => list.call(choose, [option], firm)).catch((error) => {
      // Time ran out on another look at a list that did not have it.
      if (before && bounded.isOver() && !deadline.signal.aborted) return before;
      throw error;
    });
    if (outcome === 'chosen') return;
    if (outcome === 'no_list') return selectFromMenu(hands, list, option);
    await pause(POLL_MS, bounded);
    if (bounded.isOver()) throw new StepFailure('not_found', 'the list has no such option');
  }
}

/** A list that the page draws itself: opened by a click, and the option is another. */
async function selectFromMenu(hands: Hands, list: Found, option: string): Promise<void> {
  const { point } = await list.ready({ isTouch: true }, hands.deadline);
  await clickOn(hands, list, point);
  const chosen = await hands.reach({ role: 'option', name: option }, 'press');
  await clickOn(hands, chosen, hands.point());
}

export async function check(hands: Hands, target: Target, checked: boolean): Promise<void> {
  const { deadline } = hands;
  const box = await hands.reach(target, 'check');
  if ((await box.call(isChecked, [], deadline)) === checked) return;
  await clickOn(hands, box, hands.point());
  if ((await box.call(isChecked, [], deadline)) !== checked) {
    throw new StepFailure('wrong_value', `it is still ${checked ? 'not ' : ''}checked`);
  }
}

/** What a field keeps of a text: it has one kind of line break. */
const plain = (text: string) => text.replaceAll(/\r\n?/g, '\n');
/** Rich text ends in a break of its own, and writes some spaces as fixed ones. */
const loose = (text: string) => plain(text).replaceAll('\u00a0', ' ').trimEnd();

// All below runs in the page.

/** Focuses the field and marks all it holds, so that what is typed replaces it. */
function prepare(element: Element): 'text' | 'rich' | 'chosen' | 'fixed' {
  const field: unknown = ('control' in element ? element.control : undefined) ?? element;
  if (field instanceof HTMLInputElement) {
    const chosen = ['color', 'date', 'time', 'datetime-local', 'month', 'range', 'week'];
    const fixed = ['checkbox', 'radio', 'button', 'submit', 'reset', 'image', 'file', 'hidden'];
    if (fixed.includes(field.type) || field.readOnly) return 'fixed';
    field.focus();
    if (chosen.includes(field.type)) return 'chosen';
    field.select();
    return 'text';
  }
  if (field instanceof HTMLTextAreaElement) {
    if (field.readOnly) return 'fixed';
    field.focus();
    field.select();
    return 'text';
  }
  if (!(field instanceof HTMLElement) || !field.isContentEditable) return 'fixed';
  field.focus();
  const range = document.createRange();
  range.selectNodeContents(field);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  return 'rich';
}

/** Fields whose value is chosen take no text; the page is told as if it were. */
function setValue(element: Element, value: string): void {
  const field = (('control' in element ? element.control : undefined) ?? element) as HTMLInputElement;
  field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
}

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
