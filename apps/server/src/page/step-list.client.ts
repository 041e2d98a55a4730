/// <reference lib="dom" />
// The steps of a task, a row each.

import type { TaskEvent, TaskProgress, TaskStatus } from '@pilothouse/contract';
import { describeMs } from './duration.client.ts';
import { element, make } from './element.client.ts';

type Row = {
  title: string;
  state: 'pending' | 'running' | 'success' | 'failed' | 'interrupted';
  runMs?: number;
  note?: string | null;
};
type StepEvent = Extract<TaskEvent, { type: 'step' }>['step'];
type HistoryEntry = TaskStatus['agent_history'][number];

export function createStepList() {
  const list = element('steps');
  /** By the number of the step; the first is 1. */
  let rows = new Map<number, Row>();

  const setRow = (index: number, row: Partial<Row>) => {
    rows.set(index, { title: `Step ${index}`, state: 'pending', ...rows.get(index), ...row });
  };
  const isPending = (index: number) => (rows.get(index)?.state ?? 'pending') === 'pending';
  const setHistory = ({ step_index, title, status: state, message, run_ms }: HistoryEntry) =>
    setRow(step_index, { title, state, note: state === 'success' ? null : message, runMs: run_ms });

  return {
    clear() {
      rows = new Map();
    },
    /** Titles of steps without a report yet. */
    setTitles(titles: string[]) {
      for (const [index, title] of titles.entries()) if (isPending(index + 1)) setRow(index + 1, { title });
    },
    setHistory,
    /** The history is short: the steps before its first entry were done. */
    restore(history: HistoryEntry[]) {
      for (const entry of history) setHistory(entry);
      const [first] = history;
      for (let index = 1; first && index < first.step_index; index += 1)
        if (isPending(index)) setRow(index, { state: 'success' });
    },
    setStep({ index, title, status: state, error, run_ms }: StepEvent) {
      setRow(index, { title, state, note: error, runMs: state === 'running' ? undefined : run_ms });
    },
    setProgress({ status, total_steps, current_step, current_step_title }: TaskProgress) {
      for (let index = 1; index <= (total_steps ?? 0); index += 1) setRow(index, {});
      const title = current_step_title || rows.get(current_step)?.title;
      if (status === 'running' && current_step > 0 && isPending(current_step))
        setRow(current_step, { title, state: 'running' });
    },
    draw({ isOver }: { isOver: boolean }) {
      const ordered = [...rows].sort(([a], [b]) => a - b);
      list.replaceChildren(...ordered.map(([index, row]) => drawRow(index, row, isOver)));
    },
  };
}

function drawRow(index: number, { title, state, runMs, note }: Row, isOver: boolean): HTMLElement {
  const row = make('li', '');
  row.dataset.state = state;
  row.dataset.step = String(index);
  const took = runMs === undefined ? '' : ` ${describeMs(runMs)}`;
  const words = {
    pending: isOver ? 'not run' : '',
    running: 'running',
    success: `done${took}`,
    failed: `failed${took}`,
    interrupted: 'interrupted',
  };
  row.append(make('span', 'dot'), make('span', 'title', title), make('span', 'state', words[state]));
  if (note) row.append(make('span', 'note', note));
  return row;
}
