// A list that is written one item a line: what of it is sent, and which line the server means. Pure.

/** A line keeps its key while others are added and removed. */
export type Line = { key: number; text: string };

/** Empty lines are not sent. */
export const writtenIn = (lines: readonly Line[]): Line[] => lines.filter(({ text }) => text.trim() !== '');

export const textsOf = (lines: readonly Line[]): string[] => writtenIn(lines).map(({ text }) => text.trim());
