// The result of a task in lines.

import type { TaskResult } from '@pilothouse/contract';
import { plain, type Terminal } from './terminal.ts';
import { displayWidth, pad } from './width.ts';

export function resultLines(terminal: Terminal, result: TaskResult | null): string[] {
  if (!result) return [];
  const { paint } = terminal;
  const { summary, data, files, answers = [], ungrounded = [], verdict } = result;
  return [
    // Where there are values, the sentence that counts them says no more.
    ...(summary && data === null ? [`  ${plain(summary)}`] : []),
    ...dataLines(terminal, data),
    ...answers.map(({ question, text }) => `  ${paint('dim', question)} ${plain(text)}`),
    ...files.map(({ name, byte_len }) => `  ${paint('dim', 'file')} ${plain(name)} (${byte_len} bytes)`),
    ...(result.state === 'partial' ? [`  ${paint('yellow', 'only a part of it was done')}`] : []),
    ...(ungrounded.length > 0 ? [`  ${paint('yellow', `seen nowhere on a page: ${ungrounded.join(', ')}`)}`] : []),
    ...(verdict ? [`  ${paint('dim', 'judged')} ${plain(JSON.stringify(verdict))}`] : []),
  ];
}

/** Names and values in two columns where they are flat, and otherwise JSON. */
function dataLines({ paint }: Terminal, data: TaskResult['data']): string[] {
  if (data === null) return [];
  const isFlat = typeof data === 'object' && !Array.isArray(data) && Object.values(data).every(isSingle);
  if (!isFlat)
    return JSON.stringify(data, null, 2)
      .split('\n')
      .map((line) => `  ${plainIndented(line)}`);
  const entries = Object.entries(data);
  const width = Math.min(24, Math.max(0, ...entries.map(([name]) => displayWidth(name))));
  return entries.map(([name, value]) => `  ${paint('dim', pad(name, width))}  ${plain(String(value))}`);
}

const isSingle = (value: unknown): boolean => typeof value !== 'object' || value === null;
const plainIndented = (line: string): string => `${/^ */.exec(line)?.[0] ?? ''}${plain(line.trimStart())}`;
