// A task as the answer of a tool: how it stands, what it brought, and which person it waits for.

import { isTerminal, type Question, type TaskStatus } from '@pilothouse/contract';
import type { ToolAnswer } from './page-words.ts';
import type { ToolCall } from './tool.ts';

/**
 * What a client may answer: it asks for words or a choice. A yes to an act, to a plan or after a doubt is for a person who sees
 * the page in the console, and so is driving.
 */
const answerable: readonly Question['kind'][] = ['question', 'choice', 'yes_no'];

export const mayAnswer = (status: TaskStatus): status is TaskStatus & { question: Question } =>
  status.status === 'awaiting_user' && status.question !== null && answerable.includes(status.question.kind);

const outcomes = {
  pending: 'waiting_for_its_turn',
  running: 'working',
  awaiting_user: 'needs_person',
  takeover: 'needs_person',
  success: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<TaskStatus['status'], string>;

export function taskAnswerOf(status: TaskStatus, { linkTo }: Pick<ToolCall, 'linkTo'>): ToolAnswer {
  const { task_id, session_id, question, result, current_step, total_steps } = status;
  const outcome = outcomes[status.status];
  return {
    facts: {
      ...{ task_id, session_id, outcome },
      step: total_steps === null ? current_step : `${current_step} of ${total_steps}`,
      ...(!isTerminal(status.status) && { watch: linkTo(`/sessions/${session_id}`) }),
      ...(outcome === 'needs_person' && { needs_person: needOf(status, linkTo) }),
      ...(result?.state && { state: result.state }),
      ...(result?.files.length && { files: result.files.map(({ path, byte_len }) => ({ path, bytes: byte_len })) }),
      ...(result?.answers && { answers: result.answers.map(({ text }) => text) }),
    },
    fromPage: {
      step_title: isTerminal(status.status) ? undefined : status.current_step_title || undefined,
      question: question?.text,
      choices: question?.choices?.map(({ value }) => value),
      act: question?.approval?.action,
      summary: result?.summary,
      data: result?.data,
      ungrounded: result?.ungrounded,
      error: status.last_error,
    },
  };
}

function needOf(status: TaskStatus, linkTo: ToolCall['linkTo']) {
  const link = linkTo(`/inbox/${status.task_id}`);
  if (status.status === 'takeover') return { link, why: 'A person drives this session. The task goes on afterwards.' };
  const { kind = 'question', asked_at } = status.question ?? {};
  return { link, kind, asked_at, why: mayAnswer(status) ? words : whyOf[kind as keyof typeof whyOf] };
}

const words = 'The task asks a question. A person answers it in the inbox, or you pass their answer on by answer_task.';
const whyOf = {
  approval: 'The task needs the yes of a person to one act. Only a person in the inbox can give it; you cannot.',
  plan: 'The task needs the yes of a person to its plan. Only a person in the inbox can give it; you cannot.',
  doubt: 'It is unknown whether a step that cannot be undone was done. Only a person in the inbox can say it.',
  drive: 'A person has to do something in the browser. They open the link.',
};
