// What a model said beside its calls: whether its last goal was met, and what it does next. Both are shown to people and
// logged, so what the task types is struck from them.

import { strikeTyped } from '@pilothouse/store';

const maxChars = 500;

export type Said = { evaluation: string | null; goal: string | null; thinking: string | null };

export function saidIn(text: string, typed: string[]): Said {
  const lines = strikeTyped(text, typed)
    .split('\n')
    .map((line) => line.trim());
  const take = (name: string) => {
    const found = lines.find((line) => line.toLowerCase().startsWith(`${name}:`));
    return found ? short(found.slice(name.length + 1)) : null;
  };
  const [evaluation, goal] = [take('check'), take('goal')];
  const rest = lines.filter((line) => !/^(check|goal):/i.test(line)).join('\n');
  return { evaluation, goal: goal ?? short(lines.find(Boolean) ?? ''), thinking: short(rest, 4 * maxChars) };
}

function short(text: string, chars = maxChars): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed.slice(0, chars).toWellFormed();
}
