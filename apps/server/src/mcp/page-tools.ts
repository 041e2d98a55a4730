// Tools for the page in front of a session: look, read, act. Each act is a task of one step, so that ledger and policy hold.

import { text } from 'node:stream/consumers';
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import { AppError, routes } from '@pilothouse/contract';
import { z } from 'zod';
import type { ToolAnswer } from './page-words.ts';
import { maxWaitSecs, settleTask, usualWaitSecs } from './settle-task.ts';
import { beginTask, idempotencyKey, sessionId } from './task-tools.ts';
import { type ToolCall, tool } from './tool.ts';

const wait = z.int().min(2).max(maxWaitSecs).default(usualWaitSecs);
/** Of every task that is one step here. */
const now = { while_driven: 'fail' } as const;

export const pageTools = [
  tool({
    name: 'observe',
    description: 'The page as text, with refs such as [e4 button "Remove"] that act can name: click ref e4.',
    input: z.strictObject({
      session_id: sessionId,
      from: z.int().min(0).default(0).describe('next of the page before'),
    }),
    annotations: { readOnlyHint: true },
    async run({ session_id, from }, call) {
      const { view } = await call.call(routes.getPageView, { params: { id: session_id }, query: { from } });
      const { next, ...fromPage } = view;
      return { facts: { session_id, next }, fromPage };
    },
  }),
  tool({
    name: 'act',
    description:
      'One step in a session, as a script line: click "Sign in" | click ref e4 | type "x" into "Email" | press Enter | open https://example.com | scroll down 600 | upload, download, drag, hover, select, check, back, accept dialog. An act that binds a person needs their yes first.',
    input: z.strictObject({
      session_id: sessionId,
      step: z.string().min(1).max(8000),
      wait_secs: wait,
      idempotency_key: idempotencyKey,
    }),
    annotations: { destructiveHint: true, openWorldHint: true },
    async run({ session_id, step, wait_secs, idempotency_key }, call) {
      if (/[\r\n]/.test(step)) throw new AppError('validation_failed', { detail: 'act takes one line.' });
      const chat = { prompt: step, planner: 'script' as const, session_id, ...now };
      return doNow(call, await beginTask(call, chat, idempotency_key), wait_secs);
    },
  }),
  tool({
    name: 'read',
    description: 'Read the page, or one element of it, as text or as a table.',
    input: z.strictObject({
      session_id: sessionId,
      as: z.enum(['text', 'table']).default('text'),
      target: z.string().optional().describe('Visible name of the element'),
      css: z.string().optional().describe('Or a selector'),
      wait_secs: wait,
      idempotency_key: idempotencyKey,
    }),
    annotations: { readOnlyHint: true },
    async run({ session_id, as, target, css, wait_secs, idempotency_key }, call) {
      const element = css === undefined ? target : { css };
      const step = { action: 'extract' as const, kind: as, target: element, as: 'read' };
      const id = await beginTask(call, { prompt: 'read', steps: [step], session_id, ...now }, idempotency_key);
      return doNow(call, id, wait_secs);
    },
  }),
  tool({
    name: 'screenshot',
    description: 'A picture of the page as it is now.',
    input: z.strictObject({ session_id: sessionId }),
    annotations: { readOnlyHint: true },
    run: ({ session_id }, call) => screenshot(call, session_id),
  }),
];

/**
 * A step is done on the page that the client has seen, or not at all: one that did not get its turn is cancelled, and is not
 * left to happen on another page after other tasks.
 */
async function doNow(call: ToolCall, taskId: string, waitSecs: number): Promise<ToolAnswer | InputRequiredResult> {
  if ((await call.waitFor(taskId, waitSecs * 1000)).status === 'pending') {
    const { status } = await call.call(routes.cancelTask, { params: { id: taskId }, body: { reason: 'not its turn' } });
    // It may have begun in that moment.
    if (status.started_at === null) throw busy();
  }
  return settleTask(call, taskId, { waitSecs: 0, isOwnWork: true });
}

const busy = () =>
  new AppError('conflict', {
    detail: 'Other tasks work in this session. Nothing was done: wait until they have ended.',
  });

async function screenshot(call: ToolCall, id: string): Promise<ToolAnswer> {
  const { body, pictures } = await call.callWithPictures(routes.getSession, { params: { id } });
  const { last_frame: frame, session } = body.snapshot;
  // Also where the person who drives is the one whose key this is: they type for the page, and not for a model.
  if (session.status === 'takeover' || frame?.private_reason === 'driven')
    throw new AppError('takeover_conflict', { detail: 'A person drives this session. What they see is not shown.' });
  if (!frame)
    throw new AppError('conflict', { detail: 'There is no picture of this session yet: no task has run in it.' });
  const { byteLength, body: base64 } = pictures.into(frame.screenshot_base64);
  call.hold(byteLength);
  const { width, height, recorded_at, route, private_reason } = frame;
  return {
    facts: { session_id: id, width, height, recorded_at, ...(private_reason && { private: private_reason }) },
    fromPage: { url: route.url, title: route.title },
    image: { base64: await text(base64), contentType: frame.content_type },
  };
}
