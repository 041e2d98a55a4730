/// <reference lib="dom" />
import type { Question, TaskEvent, TaskProgress, TaskStatus } from '@pilothouse/contract';
import { element, make, say } from './element.client.ts';

type Row = {
  title: string;
  state: 'pending' | 'running' | 'success' | 'failed' | 'interrupted';
  runMs?: number;
  note?: string | null;
};

/** Where the task stands, and its steps. */
export function createTaskView() {
  const status = element('status');
  const list = element('steps');
  /** By the number of the step; the first is 1. */
  let rows = new Map<number, Row>();
  let progress: TaskProgress | undefined;
  let question: Question | null = null;
  let isOver = false;

  const setRow = (index: number, row: Partial<Row>) => {
    rows.set(index, { title: `Step ${index}`, state: 'pending', ...rows.get(index), ...row });
  };

  const setProgress = (next: TaskProgress) => {
    progress = next;
    isOver = next.finished_at !== null;
    for (let index = 1; index <= (next.total_steps ?? 0); index += 1) setRow(index, {});
    const current = rows.get(next.current_step);
    if (next.status === 'running' && next.current_step > 0 && (current?.state ?? 'pending') === 'pending') {
      setRow(next.current_step, { title: next.current_step_title || current?.title, state: 'running' });
    }
  };

  const draw = () => {
    if (progress) {
      status.dataset.status = progress.status;
      say(status, describe(progress, question));
    }
    const ordered = [...rows].sort(([a], [b]) => a - b);
    list.replaceChildren(...ordered.map(([index, row]) => drawRow(index, row, isOver)));
  };

  return {
    clear() {
      rows = new Map();
      progress = undefined;
      question = null;
      isOver = false;
      delete status.dataset.status;
      say(status, '');
      draw();
    },

    /** What the steps are called that nobody has reported on yet. */
    plan(titles: string[]) {
      for (const [index, title] of titles.entries()) {
        const known = rows.get(index + 1);
        if (!known || known.state === 'pending') setRow(index + 1, { title });
      }
      draw();
    },

    /** All progress, from the status alone. */
    restore(next: TaskStatus) {
      question = next.question;
      for (const step of next.agent_history) {
        const { step_index, title, status: state, message, run_ms } = step;
        setRow(step_index, { title, state, note: state === 'success' ? null : message, runMs: run_ms });
      }
      // The history is short; what lies before its first entry was done.
      const [first] = next.agent_history;
      for (let index = 1; first && index < first.step_index; index += 1) {
        if ((rows.get(index)?.state ?? 'pending') === 'pending') setRow(index, { state: 'success' });
      }
      setProgress(next);
      draw();
    },

    apply(event: TaskEvent) {
      if (event.type === 'status') setProgress(event.status);
      else if (event.type === 'step') {
        const { index, title, status: state, error, run_ms } = event.step;
        setRow(index, { title, state, note: error, runMs: state === 'running' ? undefined : run_ms });
      } else if (event.type === 'agent_history') {
        const { step_index, title, status: state, message, run_ms } = event.agent_history;
        setRow(step_index, { title, state, note: state === 'success' ? null : message, runMs: run_ms });
      } else if (event.type === 'message_state') question = event.message_state.pending_question;
      draw();
    },

    /** What is the matter before there is a task, or when it cannot be read. */
    explain(text: string) {
      delete status.dataset.status;
      say(status, text);
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

function describe(progress: TaskProgress, question: Question | null): string {
  const { status, current_step, total_steps, current_step_title, last_error, started_at, finished_at } = progress;
  const took = started_at && finished_at ? ` in ${describeMs(Date.parse(finished_at) - Date.parse(started_at))}` : '';
  switch (status) {
    case 'pending':
      return 'Waiting its turn';
    case 'running':
      if (current_step === 0) return 'Starting';
      return `Step ${current_step}${total_steps ? ` of ${total_steps}` : ''}: ${current_step_title}`;
    case 'awaiting_user':
      return question ? `Waiting for a person: ${question.text}` : 'Waiting for a person';
    case 'takeover':
      return 'A person has the wheel';
    case 'success':
      return `Done${took}`;
    case 'failed':
      return `Failed${took}: ${last_error ?? 'no reason was given'}`;
    case 'cancelled':
      return `Cancelled${last_error ? `: ${last_error}` : ''}`;
  }
}

function describeMs(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
