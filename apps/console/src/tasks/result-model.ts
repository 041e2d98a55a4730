// Finds the tables in the data of a result: lists of objects, at the top or one level below.

export type ResultTable = { name: string; columns: string[]; rows: Record<string, unknown>[] };

export function findTables(data: unknown): ResultTable[] {
  const whole = toTable('result', data);
  if (whole) return [whole];
  if (!isRecord(data)) return [];
  return Object.entries(data).flatMap(([name, value]) => toTable(name, value) ?? []);
}

function toTable(name: string, value: unknown): ResultTable | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  if (value.every(isRecord)) {
    const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
    return columns.length > 0 ? { name, columns, rows: value } : undefined;
  }
  // A table that was read from a page: lists of cells, the first of them the head.
  if (value.length > 1 && value.every(isRowOfCells)) {
    const [head = [], ...body] = value as unknown[][];
    const columns = head.map((cell, index) => String(cell || index + 1));
    const rows = body.map((cells) => Object.fromEntries(columns.map((column, index) => [column, cells[index]])));
    return new Set(columns).size === columns.length ? { name, columns, rows } : undefined;
  }
  return undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isRowOfCells = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((cell) => typeof cell !== 'object' || cell === null);

export function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Also numbers as people write them: `48,00 €`. */
export const isNumeric = (value: unknown): boolean =>
  typeof value === 'number' ||
  (typeof value === 'string' && /^[-+]?[\d\s.,]+\s?[€$£%]?$/.test(value) && /\d/.test(value));

/** Only what the row has itself: a column may be called `constructor`. */
export const cellOf = (row: Record<string, unknown>, column: string): unknown =>
  Object.hasOwn(row, column) ? row[column] : undefined;

export type MeasuredColumn = { column: string; chars: number; isNumber: boolean };

/** How wide each column is, from its first rows, so that it does not change its width while one scrolls. */
export function measureColumns(columns: readonly string[], rows: readonly Record<string, unknown>[]): MeasuredColumn[] {
  const looked = rows.slice(0, 100);
  return columns.map((column) => {
    const cells = looked.map((row) => cellOf(row, column));
    const longest = Math.max(column.length, ...cells.map((cell) => formatCell(cell).length));
    const numbers = cells.filter(isNumeric).length;
    return { column, chars: Math.min(32, Math.max(4, longest)), isNumber: numbers * 2 > cells.length };
  });
}

export function writeAsText(data: unknown): string {
  if (typeof data === 'string') return data;
  if (isRecord(data))
    return Object.entries(data)
      .map(([name, value]) => `${name}\n${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
      .join('\n\n');
  return JSON.stringify(data, null, 2);
}
