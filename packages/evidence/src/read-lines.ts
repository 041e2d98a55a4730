// Splits bytes into lines as they come. A line ends with a line feed and nothing else, and has a longest length.

export type Line = { number: number; bytes: Buffer; isEnded: boolean };

export class LineTooLong extends Error {
  override name = 'LineTooLong';
  readonly number: number;
  constructor(number: number) {
    super(`line ${number} is too long`);
    this.number = number;
  }
}

const lineFeed = 0x0a;

/** The last line may lack its end; an empty piece after the last line feed is no line. */
export async function* readLines(pieces: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let number = 1;
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length > maxBytes) throw new LineTooLong(number);
    if (part.length > 0) parts.push(part);
  };
  for await (const piece of pieces) {
    let from = 0;
    for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, from)) {
      add(piece.subarray(from, at));
      yield { number, bytes: Buffer.concat(parts, length), isEnded: true };
      [parts, length, number, from] = [[], 0, number + 1, at + 1];
    }
    add(piece.subarray(from));
  }
  if (length > 0) yield { number, bytes: Buffer.concat(parts, length), isEnded: false };
}
