// Names that a page or a person chose, so that they show what they are: no character hides or reverses others.

/** Controls, line ends, marks of direction, and characters without a width. */
const unseen = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

const longest = 160;

/** For reading: what cannot be seen is written as its number, and a long name is cut in its middle, so that its end shows. */
export function showName(name: string): string {
  const signs = [...name.slice(0, 10_000).replace(unseen, writeNumber)];
  if (signs.length <= longest) return signs.join('');
  return `${signs.slice(0, longest - 40).join('')}…${signs.slice(-39).join('')}`;
}

const writeNumber = (sign: string) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

/** For saving: without what cannot be seen, and without what means a folder. */
export function toFileName(name: string): string {
  const plain = name
    .slice(0, 10_000)
    .replace(unseen, '')
    .replace(/[\\/:*?"<>|]/g, '_')
    .trim();
  const [, stem = '', ending = ''] = /^(.*?)(\.[^.]{1,16})?$/s.exec(plain) ?? [];
  return `${stem.slice(0, 150)}${ending}`.replace(/^\.+/, '') || 'file';
}
