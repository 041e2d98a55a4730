// Finds the nearest known word, by edit distance.

/** The known word that was probably meant; undefined if none is near enough. */
export function nearestOf(word: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(word, candidate, reachOf(candidate));
    if (distance === undefined || distance >= least) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

/** A long word may have more typing errors than a short one. */
function reachOf(word: string): number {
  return Math.max(1, Math.floor(word.length * 0.4));
}

/**
 * How many characters must be added, removed, changed or swapped with their neighbour; undefined if more than `most`.
 * Lengths are compared first, so a very long word costs nothing.
 */
function editDistance(a: string, b: string, most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined;
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change, swap));
    }
  }
  const distance = at(a.length, b.length);
  return distance > most ? undefined : distance;
}
