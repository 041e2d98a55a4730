// Reads the migrations: each file is one, and has one step or several. A line `-- step: <kind>[, timeout <n> s|min|h]`
// begins a step; without one, the whole file is one transaction.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * `transaction`: all of it or nothing. `concurrently`: each statement by itself, outside a transaction, as indexes that are
 * built beside writers need it. `batches`: one statement, again and again, each time in a transaction of its own, until it
 * changes no row.
 */
type StepKind = 'transaction' | 'concurrently' | 'batches';
export type MigrationStep = { kind: StepKind; text: string; timeoutMs: number | undefined };
export type Migration = { name: string; steps: MigrationStep[] };

const directive = /^-- step: (transaction|concurrently|batches)(?:, timeout (\d+) (s|min|h))?$/;
const unitMs = { s: 1000, min: 60_000, h: 3_600_000 };

/** In the order of their names, which is the order in which they run. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({ name, steps: stepsOf(name, await readFile(join(folder, name), 'utf8')) })),
  );
}

export function stepsOf(name: string, text: string): MigrationStep[] {
  const steps: MigrationStep[] = [{ kind: 'transaction', text: '', timeoutMs: undefined }];
  for (const line of text.split('\n')) {
    if (line.startsWith('-- step:')) steps.push(stepOf(name, line));
    else (steps.at(-1) as MigrationStep).text += `${line}\n`; // there is always one
  }
  return steps.filter((step) => statementsOf(step.text).length > 0);
}

function stepOf(name: string, line: string): MigrationStep {
  const [, kind, count, unit] = directive.exec(line) ?? [];
  if (!kind) throw new Error(`${name}: cannot read "${line}"`);
  // Both by the expression above.
  const timeoutMs = count ? Number(count) * unitMs[unit as keyof typeof unitMs] : undefined;
  return { kind: kind as StepKind, text: '', timeoutMs };
}

/** Statements that end with a line's end; for those that run by themselves. Functions have no place among them. */
export const statementsOf = (text: string): string[] =>
  text
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
