/** Where a line stops being understood. Thrown inside the reading of one line, and caught at its edge. */
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

/** What was found, short enough to be shown. */
export function show(raw: string): string {
  const signs = [...raw];
  return `“${signs.length > 40 ? `${signs.slice(0, 40).join('')}…` : raw}”`;
}
