// Where a command prints: colours and one line that is redrawn on a terminal, plain lines everywhere else. Text that comes from a
// server never moves the cursor.

import type { WriteStream } from 'node:tty';

export type Stream = Pick<WriteStream, 'write'> & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>;

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;
export type Style = keyof typeof codes;
export type Paint = (style: Style, text: string) => string;

export type Terminal = {
  /** Whether lines can be redrawn and a person can be asked. */
  isTerminal: boolean;
  paint: Paint;
  columns(): number;
  print(line?: string): void;
  /** For people, also where the output goes into a file. */
  warn(line: string): void;
  /** Draws the line that stays below everything that is printed; without text it goes away. */
  draw(line: string | undefined): void;
};

/** Without control characters and marks that turn the direction of text: titles and errors are words of pages. */
export const plain = (text: string): string =>
  text
    .replaceAll(/[\t\n\r]+/g, ' ')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal.
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');

/** JSON in one line. What JSON leaves as it is and a terminal does not is escaped: it means the same to a program. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour of ours, or what must not reach a terminal.
const colourOrControl = /\u001b\[\d{1,2}m|[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

type Streams = { stdout: Stream; stderr: Stream; hasColor?: boolean };

export function createTerminal({ stdout, stderr, hasColor }: Streams): Terminal {
  const isTerminal = stdout.isTTY === true;
  const isPainted = hasColor ?? isTerminal;
  let drawn: string | undefined;
  const clear = () => {
    if (drawn !== undefined) stdout.write('\r\u001b[2K');
  };
  /** Whatever a command forgot to make plain. */
  const cleaned = (line: string) =>
    line.replaceAll(colourOrControl, (found) => (isPainted && found.length > 1 ? found : ''));
  const redraw = () => {
    if (drawn !== undefined) stdout.write(drawn);
  };
  return {
    isTerminal,
    paint: (style, text) => {
      const safe = plain(text);
      return isPainted ? `\u001b[${codes[style][0]}m${safe}\u001b[${codes[style][1]}m` : safe;
    },
    // Some terminals say that they have none.
    columns: () => stdout.columns || 80,
    print(line = '') {
      clear();
      stdout.write(`${cleaned(line)}\n`);
      redraw();
    },
    warn(line) {
      clear();
      stderr.write(`${cleaned(line)}\n`);
      redraw();
    },
    draw(line) {
      if (!isTerminal || line === drawn) return;
      clear();
      drawn = line;
      redraw();
    },
  };
}
