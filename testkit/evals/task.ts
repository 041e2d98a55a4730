// What a task of the evals is: what is asked in words, how the teacher does it, and what must hold afterwards.
import type { Json } from '@pilothouse/contract';
import type { Intent } from '../models/teacher.ts';
import type { SeenPage } from '../models/view-text.ts';
import type { Making, Script } from '../scripts/script.ts';

/** Judged as a script is, by the databases of the sites. */
export type Task = Omit<Script, 'ask'> & { prompt: string; intents: Intent[] };
/** One kind of task, filled in at random. */
export type TaskKind = (making: Making) => Task;

/** The intents of a task, each checked by itself. */
export const plan = (...intents: Intent[]): Intent[] => intents;

/** Reads the page by patterns, each with one group; undefined while one of them does not fit. */
export const reading =
  (patterns: Record<string, RegExp>) =>
  ({ text }: SeenPage): Record<string, string> | undefined => {
    const found = Object.entries(patterns).map(([name, pattern]) => [name, pattern.exec(text)?.[1]?.trim()]);
    return found.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(found);
  };

/** The words themselves, where they stand in a pattern. */
export const exactly = (words: string): string => words.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Names and kinds of what is asked for, as the request states it. */
export function schemaOf(data: Record<string, Json>): Record<string, Json> {
  const kind = (value: Json) => (Array.isArray(value) ? 'array' : typeof value);
  const properties = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, { type: kind(value) }]));
  return { type: 'object', properties, required: Object.keys(properties) };
}
