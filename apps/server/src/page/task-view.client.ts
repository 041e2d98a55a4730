/// <reference lib="dom" />
// The status of the task, its steps, and a button for each answer that its question takes.

import type { IrreversibleAnswer, Question, TaskEvent, TaskProgress, TaskStatus } from '@pilothouse/contract';
import { describeMs } from './duration.client.ts';
import { element, make, say } from './element.client.ts';
import { createStepList } from './step-list.client.ts';

type OnAnswer = (answer: IrreversibleAnswer, question: Question) => void;

export function createTaskView({ onAnswer }: { onAnswer: OnAnswer }) {
  const status = element('status');
  const answers = element('answers');
  const steps = createStepList();
  let progress: TaskProgress | undefined;
  let question: Question | null = null;

  const setProgress = (next: TaskProgress) => {
    progress = next;
    steps.setProgress(next);
  };
  const draw = () => {
    if (progress) {
      status.dataset.status = progress.status;
      say(status, describe(progress, question));
    }
    drawAnswers(answers, progress?.status === 'awaiting_user' ? question : null, onAnswer);
    steps.draw({ isOver: progress !== undefined && progress.finished_at !== null });
  };

  return {
    clear() {
      steps.clear();
      progress = undefined;
      question = null;
      delete status.dataset.status;
      say(status, '');
      draw();
    },

    /** Titles of steps without a report yet. */
    plan(titles: string[]) {
      steps.setTitles(titles);
      draw();
    },

    /** The whole progress, from the status alone. */
    restore(next: TaskStatus) {
      question = next.question;
      steps.restore(next.agent_history);
      setProgress(next);
      draw();
    },

    apply(event: TaskEvent) {
      if (event.type === 'status') setProgress(event.status);
      else if (event.type === 'step') steps.setStep(event.step);
      else if (event.type === 'agent_history') steps.setHistory(event.agent_history);
      else if (event.type === 'message_state') question = event.message_state.pending_question;
      draw();
    },

    /** Why there is no task yet, or why it cannot be read. */
    explain(text: string) {
      delete status.dataset.status;
      say(status, text);
    },
  };
}

const answerWords: Record<IrreversibleAnswer, string> = {
  done: 'It was done, go on',
  repeat: 'Do it again',
  stop: 'Stop the task',
};

function drawAnswers(parent: HTMLElement, question: Question | null, onAnswer: OnAnswer): void {
  const options = question?.options ?? [];
  const askedAt = options.length > 0 ? question?.asked_at : undefined;
  parent.hidden = askedAt === undefined;
  // A button that is being pressed is not replaced by an equal one.
  if (parent.dataset.asked === askedAt) return;
  if (askedAt === undefined) delete parent.dataset.asked;
  else parent.dataset.asked = askedAt;
  const buttons = options.map((option) => {
    const button = make('button', 'quiet', answerWords[option]) as HTMLButtonElement;
    button.type = 'button';
    button.dataset.answer = option;
    button.addEventListener('click', () => question && onAnswer(option, question));
    return button;
  });
  parent.replaceChildren(...buttons);
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
      return 'A person drives';
    case 'success':
      return `Done${took}`;
    case 'failed':
      return `Failed${took}: ${last_error ?? 'no reason was given'}`;
    case 'cancelled':
      return `Cancelled${last_error ? `: ${last_error}` : ''}`;
  }
}
