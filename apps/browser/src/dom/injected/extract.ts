// Values of the page in a shape that programs can use. One long function, because its text is sent.

import type { Names } from './element/names.ts';
import type { Roles } from './element/roles.ts';
import type { Dom } from './element/safe-dom.ts';
import type { Secrets } from './element/secrets.ts';
import type { Sight } from './element/visibility.ts';
import type { Reader } from './text.ts';

export type Extractor = ReturnType<typeof createExtractor>;
export type Field = { css?: string; attribute?: string; type?: 'text' | 'number' | 'boolean' };
export type Value = string | number | boolean | null;
export type Row = Record<string, Value> | string[];

type Parts = { dom: Dom; roles: Roles; names: Names; sight: Sight; reader: Reader; secrets: Secrets };

export function createExtractor({ dom, roles, names, sight, reader, secrets }: Parts) {
  const maxSpan = 100;

  /** No page may make us gather more than can be sent. */
  function budget(limit: number) {
    let left = limit;
    return <T>(value: T): T => {
      left -= typeof value === 'string' ? value.length + 4 : 8;
      if (left < 0) throw new RangeError('too much to read');
      return value;
    };
  }

  function attributes(element: Element, limit: number): Record<string, string> {
    const spend = budget(limit);
    const found: [string, string][] = dom
      .attributeNames(element)
      .map((name) => [spend(name), spend(attributeOf(element, name) ?? '')]);
    return Object.fromEntries([...found, ['text', spend(reader.read(element, limit, true))]]);
  }

  /** Addresses are told in full; what is secret is not. */
  function attributeOf(element: Element, name: string): string | null {
    const value = dom.attribute(element, name);
    if (value === null) return null;
    if (name === 'href' || name === 'src') return URL.parse(value, document.baseURI)?.href ?? value;
    return name === 'value' ? secrets.masked(element, value) : value;
  }

  function records(each: string, fields: Record<string, Field>, limit: number, within?: Element): Row[] {
    const spend = budget(limit);
    const rows = dom.select(each, within).filter(sight.isShown);
    return rows.map((row) =>
      Object.fromEntries(
        Object.entries(fields).map(([name, field]) => [spend(name), spend(fieldOf(row, field, limit))]),
      ),
    );
  }

  function fieldOf(row: Element, { css, attribute, type = 'text' }: Field, limit: number): Value {
    const element = css === undefined ? row : dom.select(css, row)[0];
    if (!element) return null;
    if (type === 'boolean') return isSo(element, attribute);
    const text = attribute === undefined ? reader.read(element, limit, true) : attributeOf(element, attribute);
    if (text === null) return null;
    return type === 'number' ? numberIn(text) : text;
  }

  function isSo(element: Element, attribute: string | undefined): boolean {
    if (attribute !== undefined) {
      const value = dom.attribute(element, attribute);
      return value !== null && !/^(false|no|0|off)$/i.test(value.trim());
    }
    if (element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio'))
      return element.checked;
    const state = ['checked', 'pressed', 'selected']
      .map((name) => dom.attribute(element, `aria-${name}`))
      .find(Boolean);
    return /^(true|yes|1|on|x|✓|✔|☑)$/i.test(state ?? names.tidy(reader.read(element, 100)));
  }

  /** The first number in it, whatever separates its digits; null where there is none. */
  function numberIn(text: string): number | null {
    const match = /([-−–]\s*)?(?:[^\d\s.,-]{0,4}\s*)?(\d[\d.,'’\s\u00a0\u202f]*)/.exec(text);
    const digits = match?.[2]?.replace(/[\s'’\u00a0\u202f]/g, '').replace(/[.,]+$/, '');
    if (!digits) return null;
    const value = Number(plain(digits));
    return Number.isFinite(value) ? (match?.[1] ? -value : value) : null;
  }

  function plain(digits: string): string {
    const last = digits.match(/[.,](?=\d*$)/)?.[0];
    if (last === undefined) return digits;
    const other = last === ',' ? '.' : ',';
    const whole = digits.slice(0, digits.lastIndexOf(last));
    const part = digits.slice(digits.lastIndexOf(last) + 1);
    // Alone and before three digits it may be either: then the language of the page decides.
    const isGroup =
      !whole.includes(other) && part.length === 3 && /^[1-9]\d{0,2}$/.test(whole) && last !== decimalSign();
    const isRepeated = whole.includes(last);
    if (isGroup || isRepeated) return digits.replaceAll(last, '').replace(other, '.');
    return `${whole.replaceAll(other, '')}.${part}`;
  }

  function decimalSign(): string {
    const root = dom.root();
    try {
      const parts = new Intl.NumberFormat((root && dom.attribute(root, 'lang')) || 'en').formatToParts(1.5);
      return parts.find(({ type }) => type === 'decimal')?.value ?? '.';
    } catch {
      return '.';
    }
  }

  const tableRoles = new Set(['table', 'grid', 'treegrid']);
  const isTable = (element: Element) => tableRoles.has(roles.role(element));

  /** The table it is, is in, or holds; one that holds others counts as one. */
  function tables(within?: Element): Element[] {
    for (let up: Element | null = within ?? null; up; up = dom.parent(up)) if (isTable(up)) return [up];
    const found = dom.all(within).filter((element) => isTable(element) && sight.isVisible(element));
    return found.filter((one) => !found.some((other) => other !== one && dom.isWithin(one, other)));
  }

  function table(element: Element, limit: number): Row[] {
    const spend = budget(limit);
    const lines = linesOf(element);
    const grid = expanded(lines).map((line) => line.map((cell) => spend(cell ? reader.read(cell, limit, true) : '')));
    const count = headerCount(lines);
    const header = grid[count - 1];
    if (!header) return grid;
    const keys = uniqueKeys(header);
    return grid
      .slice(count)
      .map((line) => Object.fromEntries(keys.map((key, index) => [spend(key), line[index] ?? null])));
  }

  function linesOf(element: Element): Element[][] {
    if (element instanceof HTMLTableElement)
      return [...element.rows].filter(sight.isShown).map((row) => [...row.cells]);
    const cellRoles = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
    return dom
      .all(element)
      .filter((one) => roles.role(one) === 'row' && sight.isShown(one))
      .map((row) => dom.all(row).filter((one) => cellRoles.has(roles.role(one))));
  }

  /** How many lines are header; its last names the columns. */
  function headerCount(lines: Element[][]): number {
    const isHeader = (cell: Element) => roles.role(cell) === 'columnheader';
    const isInHead = (cell: Element) => dom.closest(cell, 'thead') !== null;
    const first = lines.findIndex(
      (line) => line.length === 0 || !line.every((cell) => isHeader(cell) || isInHead(cell)),
    );
    return first === -1 ? Math.min(1, lines.length) : first;
  }

  /** Cells that go over several columns or lines stand in each of them. */
  function expanded(lines: Element[][]): (Element | undefined)[][] {
    const grid: (Element | undefined)[][] = lines.map(() => []);
    const spanOf = (cell: Element, name: string) =>
      Math.min(maxSpan, Math.max(1, Number(dom.attribute(cell, name)) || 1));
    for (const [y, line] of lines.entries()) {
      let x = 0;
      for (const cell of line) {
        while (grid[y]?.[x]) x += 1;
        for (let down = 0; down < spanOf(cell, 'rowspan'); down += 1) {
          for (let right = 0; right < spanOf(cell, 'colspan'); right += 1) {
            const row = grid[y + down];
            if (row) row[x + right] = cell;
          }
        }
      }
    }
    return grid.map((line) => Array.from(line));
  }

  function uniqueKeys(header: string[]): string[] {
    const used = new Map<string, number>();
    return header.map((text, index) => {
      const key = names.tidy(text) || `column ${index + 1}`;
      const count = (used.get(key) ?? 0) + 1;
      used.set(key, count);
      return count === 1 ? key : `${key} ${count}`;
    });
  }

  return { attributes, records, tables, table };
}
