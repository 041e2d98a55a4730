// How wide a text is on a terminal, in columns. Of characters that terminals draw differently it is the widest: a line that is cut
// by it never wraps.

const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Letters of East Asia in their full width, and emoji. The letters of flags stand in pairs and are one column each. */
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|(?![\u{1f1e6}-\u{1f1ff}])\p{Emoji_Presentation})$/u;
/** Accents, joiners, and what chooses between pictures of a letter. */
const empty = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
const asEmoji = '\ufe0f';
const isAscii = (text: string) => /^[ -~]*$/.test(text);

export function displayWidth(text: string): number {
  if (isAscii(text)) return text.length;
  return [...segments.segment(text)].reduce((sum, { segment }) => sum + widthOf(segment), 0);
}

/** Of one grapheme. Terminals that do not know a joined emoji draw each part of it. */
function widthOf(grapheme: string): number {
  const sum = [...grapheme].reduce((all, letter) => all + (empty.test(letter) ? 0 : wide.test(letter) ? 2 : 1), 0);
  return grapheme.includes(asEmoji) ? Math.max(sum, 2) : sum;
}

/** At most this many columns, and never half of a letter. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let left = Math.max(0, width - 1);
  for (const { segment } of segments.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return width > 0 ? `${kept}…` : '';
}

export const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - displayWidth(text)));
