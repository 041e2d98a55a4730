// Hosts that refuse an act until a person says yes, and people who answer, for tests of approvals.

import assert from 'node:assert/strict';
import type { AskedAct } from '@pilothouse/bus';
import { type ApprovalAnswer, Question } from '@pilothouse/contract';
import { localUser, questionOf } from '@pilothouse/store';
import type { Outcome } from '../src/browsers/outcome.ts';
import { acted } from './scripted-browsers.ts';
import { says } from './scripted-mind.ts';
import type { BenchTask } from './task-bench.ts';

export const sentence = 'A person has to say yes, because the words on it commit to something.';
export const asked = (more: Partial<AskedAct> = {}): AskedAct => ({
  fingerprint: 'a'.repeat(64),
  site: 'https://shop.test',
  role: 'button',
  name: 'Buy',
  value: null,
  page: 'https://shop.test/cart',
  frame_origin: null,
  form_action: 'https://shop.test/order',
  amounts: ['€ 20.00'],
  bbox: { x: 1, y: 2, width: 3, height: 4 },
  ...more,
});
export const needsYes = (more: Partial<AskedAct> = {}): Outcome => ({
  type: 'failed',
  failure: 'needs_yes',
  message: sentence,
  hasTouched: false,
  verdict: { class: 'commit', outcome: 'ask', sentence },
  asked: asked(more),
});
export const approved = acted({ verdict: { class: 'commit', outcome: 'ask', sentence } });
export const buy = says(['click', { ref: 'e1' }]);

/** As the server does it: the question and the act are answered together. */
export const answerApproval = (task: BenchTask, said: ApprovalAnswer) =>
  task.store.change(task.sessionId, async (tx) => {
    assert.ok(await task.store.questions.answer(tx, task.id, { text: said }), 'a question stands');
    return task.store.approvals.answer(tx, task.id, said, localUser.id);
  });

export const standingQuestion = async (task: BenchTask) => Question.parse(questionOf(await task.row()));
