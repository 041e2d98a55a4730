// Text that steps type into a page may be a password, and it cannot be known beforehand which text is. So no typed text
// is shown in titles or repeated from messages of pages, and a purge strikes it from everything that was stored.
import { Step } from '@pilothouse/contract';

/** Replaces typed text. It does not show the length. */
export const struckText = '••••••';

/** A shorter text is struck only as a whole word: its letters occur in many other words. */
const shortestAnywhere = 4;

/** The texts that these steps type, the longest first: one may be part of another. */
export function typedTextsOf(steps: readonly Step[]): string[] {
  const typed = steps.flatMap((step) => {
    if (step.action === 'type') return step.text.trim();
    return step.action === 'answer_dialog' && step.text !== undefined ? step.text.trim() : [];
  });
  return [...new Set(typed)].filter((text) => text !== '').toSorted((a, b) => b.length - a.length);
}

export const strikeTyped = (text: string, typed: readonly string[]): string =>
  typed.reduce((left, word) => left.replace(patternOf(word), struckText), text);

function patternOf(word: string): RegExp {
  const literal = RegExp.escape(word);
  return new RegExp(word.length < shortestAnywhere ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal, 'gu');
}

/** The same for every text in a JSON value, also for names of fields. */
export function strikeTypedIn(value: unknown, typed: readonly string[]): unknown {
  if (typeof value === 'string') return strikeTyped(value, typed);
  if (Array.isArray(value)) return value.map((item) => strikeTypedIn(item, typed));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, item]) => [strikeTyped(name, typed), strikeTypedIn(item, typed)]);
  return Object.fromEntries(entries);
}

/** The steps without typed text, also where the same text occurs elsewhere in them. The result are valid steps. */
export const withoutTypedText = (steps: readonly Step[], typed: readonly string[]): Step[] =>
  steps.map((step) => {
    const struck = Step.safeParse(strikeFields(step, typed));
    // A word of the contract may have been typed too, or a name has become too long: then the step is not valid any
    // more.
    return struck.data ?? { action: 'screenshot', title: 'Purged' };
  });

function strikeFields(step: Step, typed: readonly string[]): object {
  const { action, ...fields } = step;
  const struck = Object.fromEntries(Object.entries(fields).map(([name, item]) => [name, strikeValues(item, typed)]));
  if ('text' in step && step.text !== undefined) struck.text = struckText;
  if (step.action === 'press' && isTypedKey(step.key)) struck.key = '•';
  return { action, ...struck };
}

/** Names of fields belong to the contract and stay; only values are struck. */
function strikeValues(value: unknown, typed: readonly string[]): unknown {
  if (typeof value === 'string') return strikeTyped(value, typed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, strikeValues(item, typed)]));
}

/** A key that writes a character: a password may be typed key by key. */
export const isTypedKey = (key: string): boolean => /^(Shift\+)?.$/u.test(key);
