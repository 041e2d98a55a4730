// A task on its way, as lines: one for each step that ended, and on a terminal one below them that moves.

import type { ExecutionStep, TaskStatus } from '@pilothouse/contract';
import type { TaskUpdate } from '@pilothouse/sdk';
import { resultLines } from './result.ts';
import { plain, type Terminal } from './terminal.ts';
import { cut, displayWidth, pad } from './width.ts';
import { count, dollars, duration } from './words.ts';

export type TaskView = {
  take(update: TaskUpdate): void;
  /** What a model has cost so far. */
  setCost(micros: number | undefined): void;
  /** Nothing moves while a person is asked. */
  pause(): void;
  goOn(): void;
  finish(status: TaskStatus): void;
  close(): void;
};
type Options = { now?: () => number; everyMs?: number };

const spinner = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const barWidth = 24;
/** What is left of a shorter title says nothing. */
const leastTitle = 8;
/** Wider lines are hard to read across. */
const widest = 84;
/** The mark before the progress. */
const besideProgress = 4;
/** The mark before a title, and the time behind it. */
const besideTitle = 13;

export function createTaskView(terminal: Terminal, { now = Date.now, everyMs = 100 }: Options = {}): TaskView {
  const begunAt = now();
  let running = 'starting';
  let steps = { done: 0, total: null as number | null };
  let costMicros: number | undefined;
  let turn = 0;
  let isPaused = false;
  const draw = () => {
    if (isPaused) return;
    turn += 1;
    const elapsedMs = now() - begunAt;
    terminal.draw(progressLine(terminal, { turn, running, ...steps, elapsedMs, costMicros }));
  };
  const timer = terminal.isTerminal ? setInterval(draw, everyMs) : undefined;

  const take = (update: TaskUpdate) => {
    if (update.type === 'status') {
      const { status, current_step, total_steps } = update.status;
      steps = { done: Math.max(steps.done, current_step - 1, 0), total: total_steps };
      if (status === 'pending') running = 'waiting for its turn';
      if (status === 'takeover') running = 'a person drives';
    } else if (update.type === 'step' && update.step.status === 'running') running = update.step.title;
    else if (update.type === 'step') {
      terminal.print(stepLine(terminal, update.step));
      if (update.step.status === 'success') steps = { ...steps, done: Math.max(steps.done, update.step.index) };
      running = 'deciding what is next';
    } else if (update.type === 'takeover') {
      const { status, held_by_name } = update.takeover;
      const who = held_by_name ? plain(held_by_name) : 'A person';
      if (status === 'active') terminal.print(`  ${terminal.paint('yellow', '●')} ${who} drives`);
      if (status === 'ended') terminal.print(`  ${terminal.paint('dim', '●')} handed back to the agent`);
    }
    if (terminal.isTerminal) draw();
  };
  const close = () => {
    clearInterval(timer);
    terminal.draw(undefined);
  };

  return {
    take,
    setCost: (micros) => {
      costMicros = micros;
    },
    pause() {
      isPaused = true;
      terminal.draw(undefined);
    },
    goOn() {
      isPaused = false;
    },
    finish(status) {
      close();
      terminal.print();
      for (const line of endLines(terminal, status, now() - begunAt)) terminal.print(line);
    },
    close,
  };
}

type Progress = {
  turn: number;
  running: string;
  done: number;
  total: number | null;
  elapsedMs: number;
  costMicros: number | undefined;
};

/**
 * The bar is full when every step is done; where nobody knows how many there will be, there is none. The line is drawn again in its
 * place, so it must not wrap: a narrow terminal has no bar, a narrower one no title, and then fewer facts.
 */
function progressLine(terminal: Terminal, { turn, running, done, total, elapsedMs, costMicros }: Progress): string {
  const { paint } = terminal;
  const room = terminal.columns() - besideProgress;
  const facts = [
    total ? `${Math.min(done, total)}/${total}` : count(done, 'step'),
    duration(elapsedMs),
    ...(costMicros ? [dollars(costMicros)] : []),
  ];
  while (facts.length > 1 && displayWidth(facts.join(' · ')) > room) facts.pop();
  const said = cut(facts.join(' · '), room);
  const left = room - displayWidth(said) - 2;
  const hasBar = total !== null && left >= barWidth + 1 + leastTitle;
  const filled = hasBar ? Math.round((Math.min(done, total) / total) * barWidth) : 0;
  const bar = hasBar ? `${paint('cyan', '━'.repeat(filled))}${paint('dim', '─'.repeat(barWidth - filled))} ` : '';
  const titleRoom = hasBar ? left - barWidth - 1 : left;
  const title = titleRoom < leastTitle ? '' : `  ${paint('dim', cut(plain(running), titleRoom))}`;
  return `  ${paint('cyan', spinner[turn % spinner.length] ?? '')} ${bar}${said}${title}`;
}

/** The time stands at the right where the terminal is wide enough to make it a column. */
function stepLine(terminal: Terminal, step: ExecutionStep): string {
  const { paint } = terminal;
  const isDone = step.status === 'success';
  const mark = isDone ? paint('green', '✓') : paint(step.status === 'failed' ? 'red' : 'yellow', '✗');
  const took = duration(spentMs(step));
  const columns = terminal.isTerminal ? terminal.columns() : widest;
  const width = Math.max(1, Math.min(columns, widest) - besideTitle);
  const title = cut(plain(step.title), width);
  const line = `  ${mark} ${pad(title, width)} ${paint('dim', took.padStart(8))}`;
  const attempt = step.attempts > 1 && !isDone ? ` (attempt ${step.attempts})` : '';
  return step.error ? `${line}\n      ${paint('red', `${step.error}${attempt}`)}` : line;
}

/** With the time that a step waits by itself. */
const spentMs = ({ intent_at, effect_at, run_ms }: ExecutionStep): number =>
  effect_at ? Date.parse(effect_at) - Date.parse(intent_at) : run_ms;

function endLines(terminal: Terminal, status: TaskStatus, elapsedMs: number): string[] {
  const { paint } = terminal;
  const { cost } = status;
  const tookMs = takenMs(status) ?? elapsedMs;
  const facts = [
    duration(tookMs),
    count(cost.steps, 'step'),
    ...(cost.model_calls > 0
      ? [
          `${count(cost.model_calls, 'call')} of a model`,
          cost.cost_micros === undefined ? '' : dollars(cost.cost_micros),
        ]
      : []),
  ].filter(Boolean);
  const heads = {
    success: paint('green', '✓ Done'),
    failed: paint('red', '✗ Failed'),
    cancelled: paint('yellow', '✗ Cancelled'),
  };
  const head = heads[status.status as keyof typeof heads] ?? status.status;
  const reason = status.status === 'success' ? undefined : status.last_error;
  return [
    `${head}  ${paint('dim', facts.join(' · '))}`,
    ...(reason ? [`  ${plain(reason)}`] : []),
    ...resultLines(terminal, status.result),
  ];
}

function takenMs({ started_at, finished_at }: TaskStatus): number | undefined {
  return started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : undefined;
}
