// Tools that begin tasks, read them, answer their questions and cancel them.

import { AppError, type BodyIn, routes } from '@pilothouse/contract';
import { z } from 'zod';
import { answerQuestion, maxWaitSecs, settleTask, usualWaitSecs, waitSecs } from './settle-task.ts';
import { taskAnswerOf } from './task-answer.ts';
import { type ToolCall, tool } from './tool.ts';

const wait = waitSecs.default(usualWaitSecs);
const taskId = z.string();
export const sessionId = z.string();
/** One task for one key, also when the call is repeated at another server. */
export const idempotencyKey = z.string().min(1).max(200).optional().describe('Same key: same task, never a second one');

type Chat = BodyIn<typeof routes.sendChat>;

/** Begins a task, or finds the one that the same key has begun, or that an earlier round of this call has. */
export async function beginTask(call: ToolCall, chat: Chat, key: string | undefined): Promise<string> {
  if (call.given) return call.given.taskId;
  const headers = { 'idempotency-key': key ?? call.idempotencyKey };
  // The client's model wrote the steps. Said so, a step that would pay, send or delete waits for the user's yes.
  const begun = await call.call(routes.sendChat, { body: { ...chat, steps_by: 'program' }, headers });
  if (!('task_id' in begun)) throw new Error('a chat that is executed begins a task');
  return begun.task_id;
}

const Hosts = z.array(z.string()).optional();

export const taskTools = [
  tool({
    name: 'run_task',
    description: `Do work in a browser. Give a prompt in words (a model of the installation plans it), or steps: script lines such as open https://example.com | click "Sign in" | type "x" into "Email" | select "Blue" in "Colour" | press Enter | wait for "Done" | extract table "Prices" as prices | extract text as page | ask "Which one?". Returns when the task has ended, needs a person, or wait_secs are over; then use get_task.`,
    input: z.strictObject({
      prompt: z.string().optional(),
      steps: z.array(z.string()).min(1).optional().describe('Script lines, instead of a prompt'),
      session_id: sessionId.optional().describe('Without it, a new session is opened'),
      profile: z.string().optional().describe('Label of a saved login state'),
      allowed_domains: Hosts,
      output_schema: z.record(z.string(), z.unknown()).optional().describe('JSON Schema of the result; for prompts'),
      policy: z
        .strictObject({
          mode: z.enum(['standard', 'careful', 'watch']).optional(),
          allow: Hosts,
          deny: Hosts,
          read_only: Hosts,
          watch: Hosts,
        })
        .optional()
        .describe('Stricter rules for this task'),
      wait_secs: wait,
      idempotency_key: idempotencyKey,
    }),
    annotations: { destructiveHint: true, openWorldHint: true },
    async run({ prompt, steps, session_id, profile, allowed_domains, output_schema, policy, ...rest }, call) {
      if ((prompt === undefined) === (steps === undefined))
        throw new AppError('validation_failed', { detail: 'Give either a prompt or steps.' });
      const work = steps ? { prompt: steps.join('\n'), planner: 'script' as const } : { prompt };
      // The contract checks the schema again, and says what JSON it takes.
      const chat = { ...work, session_id, profile_label: profile, allowed_domains, output_schema, policy } as Chat;
      const id = await beginTask(call, chat, rest.idempotency_key);
      return settleTask(call, id, { waitSecs: rest.wait_secs, isOwnWork: true });
    },
  }),
  tool({
    name: 'get_task',
    description: 'How a task stands, and its result. Waits up to wait_secs for its end or for a question.',
    input: z.strictObject({ task_id: taskId, wait_secs: waitSecs.default(0) }),
    annotations: { readOnlyHint: true },
    run: ({ task_id, wait_secs }, call) => settleTask(call, task_id, { waitSecs: wait_secs }),
  }),
  tool({
    name: 'answer_task',
    description:
      'Pass a person’s answer on to the question of a task. Ask your user first. Never an approval: those only a person gives, in the inbox.',
    input: z.strictObject({
      task_id: taskId,
      answer: z.string().min(1),
      asked_at: z.string().describe('needs_person.asked_at: which question this answers'),
      wait_secs: wait,
    }),
    annotations: { destructiveHint: true, openWorldHint: true },
    async run({ task_id, answer, asked_at, wait_secs }, call) {
      await answerQuestion(call, task_id, { answer, askedAt: asked_at });
      return settleTask(call, task_id, { waitSecs: wait_secs });
    },
  }),
  tool({
    name: 'cancel_task',
    description: 'Cancel a task that has not ended.',
    input: z.strictObject({ task_id: taskId, reason: z.string().optional() }),
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: false },
    async run({ task_id, reason }, call) {
      const { status } = await call.call(routes.cancelTask, { params: { id: task_id }, body: { reason } });
      return taskAnswerOf(status, call);
    },
  }),
  tool({
    name: 'ask_person',
    description: 'Ask the person in charge a question, by the inbox. They see the browser of the session beside it.',
    input: z.strictObject({
      question: z.string().min(1),
      choices: z.array(z.string()).min(2).max(8).optional(),
      session_id: sessionId.optional(),
      wait_secs: z.int().min(0).max(maxWaitSecs).default(usualWaitSecs),
      idempotency_key: idempotencyKey,
    }),
    annotations: { destructiveHint: false, openWorldHint: false },
    async run({ question, choices, session_id, wait_secs, idempotency_key }, call) {
      const step = { action: 'ask' as const, question, ...(choices && { kind: 'choice' as const, choices }) };
      const id = await beginTask(call, { prompt: question, steps: [step], session_id }, idempotency_key);
      return settleTask(call, id, { waitSecs: wait_secs, isOwnWork: true });
    },
  }),
];
