// The error of a script line.

/** Thrown while one line is parsed, and caught by `parseScript`. */
export class Mistake extends Error {
  /** The first is 1. */
  readonly column: number;
  readonly nearest: string | undefined;

  constructor(column: number, message: string, nearest?: string) {
    super(message);
    this.column = column;
    this.nearest = nearest;
  }
}

/** Quoted for a message, and shortened. */
export function show(raw: string): string {
  const signs = [...raw];
  return `“${signs.length > 40 ? `${signs.slice(0, 40).join('')}…` : raw}”`;
}
