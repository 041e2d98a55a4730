// Puts values into fields, and reads each back: some fields accept less than they are given.

import type { Target } from '@pilothouse/contract';
import { StepFailure } from '../common/failure.ts';
import { typeInto } from '../dom/injected/type-into.ts';
import type { ActionTools } from './action-tools.ts';
import { clickOn } from './pointer.ts';

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

function isChecked(element: Element): boolean {
  const box: unknown = ('control' in element ? element.control : undefined) ?? element;
  if (box instanceof HTMLInputElement) return box.checked;
  return box instanceof Element && box.getAttribute('aria-checked') === 'true';
}
