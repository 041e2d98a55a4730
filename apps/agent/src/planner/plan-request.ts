// The words of a request for a plan. It has the task and what people said, and nothing of any page.

import type { Answer, TaskMessageRow } from '@pilothouse/store';
import type { Message, ModelRequest } from '../model/types.ts';
import { planTool } from './plan-tool.ts';
import { type TaskWords, taskText } from './prompt.ts';

type PlanWords = {
  model: string;
  /** The id of the task, if there is one. */
  cacheKey?: string;
  task: TaskWords;
  /** Earlier plans of this task, each with what a person said of it. */
  answers: Pick<Answer, 'question' | 'text'>[];
  messages: Pick<TaskMessageRow, 'text'>[];
  /** Why the last answer could not be used. */
  problem?: string;
};

const maxOutputTokens = 2000;

const system = `You plan a task that will be done in a web browser for a person. Nothing is done yet, and you see no page.

Rules:
- Call plan with one to twelve items, in the order in which they are done. One short sentence each, in the language of the task.
- Say what will be done and where. Name everything that pays, orders, sends, publishes or deletes as an item of its own.
- Plan only what the task asks. Where a login, a code or a decision of the person is needed, say so as an item.
- When the person says what to change, give the whole plan again with that change.`;

export function planRequestOf({ model, cacheKey, task, answers, messages, problem }: PlanWords): ModelRequest {
  const earlier = answers.flatMap(({ question, text }): Message[] => [
    { role: 'assistant', text: question },
    { role: 'user', text: `A person says: ${text ?? '(nothing)'}` },
  ]);
  const now = [
    ...messages.map(({ text }) => `A person says: ${text}`),
    ...(problem === undefined ? [] : [`Your last answer could not be used: ${problem}`]),
    answers.length > 0 ? 'Give the new plan.' : 'Give the plan.',
  ];
  return {
    model,
    system: { text: system, cache: true },
    messages: [{ role: 'user', text: taskText(task) }, ...earlier, { role: 'user', text: now.join('\n') }],
    tools: [planTool],
    toolChoice: { name: planTool.name },
    maxOutputTokens,
    ...(cacheKey !== undefined && { cacheKey }),
  };
}
