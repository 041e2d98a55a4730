// What a person makes of the plan that a model proposes: items are rewritten, moved and removed. Changes nothing itself.

/** An item while it is edited. Its key stays when it moves. */
export type EditedItem = { key: number; text: string; site?: string };

type Proposed = { text: string; site?: string };

export const editedItems = (proposed: readonly Proposed[]): EditedItem[] =>
  proposed.map((item, key) => ({ ...item, key }));

/** The same list where it cannot go further. */
export function moveItem(items: readonly EditedItem[], key: number, by: -1 | 1): readonly EditedItem[] {
  const from = items.findIndex((item) => item.key === key);
  const [one, other] = [items[from], items[from + by]];
  if (!one || !other) return items;
  return items.map((item) => (item === one ? other : item === other ? one : item));
}

/** The one that has the focus after another is removed: the next, or the last. */
export function keyAfterRemoval(items: readonly EditedItem[], key: number): number | undefined {
  const at = items.findIndex((item) => item.key === key);
  return (items[at + 1] ?? items[at - 1])?.key;
}

/** The texts to agree to; undefined where they are as they were proposed. Items without words are left out. */
export function changedTexts(items: readonly EditedItem[], proposed: readonly Proposed[]): string[] | undefined {
  const texts = items.map(({ text }) => text.trim()).filter((text) => text !== '');
  const isSame = texts.length === proposed.length && texts.every((text, i) => text === proposed[i]?.text);
  return isSame ? undefined : texts;
}

export const hasWords = (items: readonly EditedItem[]): boolean => items.some(({ text }) => text.trim() !== '');
