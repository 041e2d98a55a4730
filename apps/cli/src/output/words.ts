// Numbers, times and tables in words.

import { plain } from './terminal.ts';
import { cut, displayWidth, pad } from './width.ts';

export function duration(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const secs = Math.round(ms / 1000);
  if (secs < 60) return `${secs} s`;
  const minutes = Math.floor(secs / 60);
  return minutes < 60 ? `${minutes} min ${secs % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const dollars = (micros: number): string => `$${(micros / 1e6).toFixed(micros < 10_000 ? 4 : 2)}`;

export const count = (number: number, one: string): string => `${number} ${number === 1 ? one : `${one}s`}`;

/** `2026-11-18 06:39:07`, in the time of this machine. */
export function clockTime(timestamp: string): string {
  const at = new Date(timestamp);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Lines of a table; the last column takes what is left of the width. */
export function table(head: string[], rows: string[][], width: number): string[] {
  const all = [head, ...rows.map((row) => row.map(plain))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ''))));
  return all.map((row) => {
    const cells = row.map((cell, column) => (column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0)));
    return cut(cells.join('  '), width).trimEnd();
  });
}
