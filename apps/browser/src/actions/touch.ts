import type { Target } from '@pilothouse/contract';
import { within } from '../deadline.ts';
import { StepFailure } from '../failure.ts';
import type { Hands } from './hands.ts';

export async function click(hands: Hands, target: Target): Promise<void> {
  const element = await hands.reach(target, 'press');
  await element.click({ timeout: hands.actMs() });
}

/** Puts the text in place of what the field holds, and reads it back: some fields take less than they are given. */
export async function type(hands: Hands, target: Target, text: string): Promise<void> {
  const element = await hands.reach(target, 'fill');
  await element.fill(text, { timeout: hands.actMs() });
  const held = await within(hands.deadline, element.evaluate(read, null, { timeout: hands.actMs() }));
  if (plain(held) !== plain(text))
    throw new StepFailure('unsupported', 'the field holds something else than was typed');
}

export async function select(hands: Hands, target: Target, option: string): Promise<void> {
  const element = await hands.reach(target, 'select');
  await element.selectOption(option, { timeout: hands.actMs() });
}

export async function check(hands: Hands, target: Target, checked: boolean): Promise<void> {
  const element = await hands.reach(target, 'check');
  await element.setChecked(checked, { timeout: hands.actMs() });
}

export async function press(hands: Hands, key: string, target: Target | undefined): Promise<void> {
  if (target === undefined) return within(hands.deadline, hands.page.keyboard.press(key));
  const element = await hands.reach(target, 'fill');
  await element.press(key, { timeout: hands.actMs() });
}

const plain = (text: string) => text.replaceAll('\r\n', '\n').trimEnd();

type Field = { value?: unknown; innerText?: string; control?: Field | null };

/** Runs in the page. A label stands for its field, as it does for the browser library. */
function read(element: object): string {
  const named: Field = element;
  const field = named.control ?? named;
  return typeof field.value === 'string' ? field.value : (field.innerText ?? '');
}
