// A task with everything that evidence is made of, written by the store as agents and servers write it.

import { randomUUID } from 'node:crypto';
import type { Client } from '@pilothouse/sdk';
import { type Caller, newId, type Store, type TaskRow } from '@pilothouse/store';
import { takeRun } from '@pilothouse/store/testing/runs';
import { makeFrame } from './recording.ts';
import { makeObservation, makeTask } from './tasks.ts';

type Options = { store: Store; owner: Caller; client: Client };
type Held = { task: TaskRow; executionId: string };

const modelSteps = [
  { action: 'click' as const, target: 'Add to basket' },
  { action: 'type' as const, target: 'Address', text: 'Harbour 1' },
];
export const images = {
  before: Buffer.from('before the act'),
  after: Buffer.from('after the act'),
  shown: Buffer.from('what the model was shown'),
  hidden: Buffer.from('nobody may see this'),
};

/** At work: a model has decided, one act was done and one failed, and a person was asked, drove, wrote and answered. */
export async function makeEvidenceTask({ store, owner, client }: Options): Promise<Held> {
  const held = await begin(store, await makeTask(store, { owner }));
  const { task, executionId } = held;
  await decide(store, held);
  await makeFrame(store, task, { image: images.before });
  await act(store, held, 4, { status: 'success' });
  await makeFrame(store, task, { image: images.after, stepId: 'step-4' });
  await makeObservation(store, task, { image: images.after, contentType: 'image/jpeg' });
  await makeFrame(store, task, { image: images.hidden, isPrivate: true });
  await act(store, held, 5, { status: 'failed', error: 'It was not there.', mayHaveActed: true });
  await client.sendTaskMessage({ id: task.id, text: 'Take the red one.' });
  const question = { text: 'Which size?', stepId: 'step-5', expiresInSecs: 3600 };
  await store.transaction((tx) => store.questions.ask(tx, { id: task.id, executionId }, question, null));
  await client.requestTakeover({ id: task.id, reason: 'to log in' });
  await client.resumeTakeover({ id: task.id, note: 'Logged in as the shop.' });
  await client.signalTakeover({ id: task.id, answer: 'The large one' });
  return held;
}

/** Ends it as an agent does. */
export const finish = (store: Store, { task, executionId }: Held) =>
  store.transaction((tx) => {
    const result = { summary: 'Bought.', data: { price: 12.5 }, files: [] };
    return store.tasks.move(tx, { id: task.id, executionId }, 'finish', { result });
  });

async function begin(store: Store, task: TaskRow): Promise<Held> {
  await takeRun(store, task.id);
  const begun = await store.change(task.session_id, async (tx) => {
    await store.sessions.move(tx, task.session_id, 'work');
    return store.tasks.beginExecution(tx, task.id, randomUUID());
  });
  if (!begun) throw new Error('the task did not begin');
  return { task: begun.task, executionId: begun.executionId };
}

async function decide(store: Store, { task, executionId }: Held): Promise<void> {
  const held = { taskId: task.id, executionId };
  const blobKey = `sessions/${task.session_id}/seen/1.jpeg`;
  await store.blobs.put(blobKey, images.shown);
  await store.transaction(async (tx) => {
    const call = await store.modelCalls.begin(tx, held, { purpose: 'decide', model: 'm-1', estimatedTokens: 10 });
    if (!call) throw new Error('the task is not held');
    const usage = { input: 900, cached: 100, cacheWritten: 0, output: 50, reasoning: 7 };
    await store.modelCalls.end(tx, call, { status: 'ok', usage, costMicros: 1234 });
    await store.decisions.add(tx, held, {
      callNumber: call.number,
      goal: 'Put it into the basket',
      evaluation: 'The shop is open',
      thinking: 'The red one is cheaper',
      actions: { version: 1, calls: [{ name: 'click', input: { target: 'Add to basket' }, steps: [0, 2] }] },
      steps: modelSteps,
      url: 'http://shop.test/',
      viewHash: 'x',
      view: '[e1 field "Password" = "••••"]',
      picture: { blobKey, contentType: 'image/jpeg' },
      readMessages: 0,
    });
  });
}

type Effect = { status: 'success' | 'failed'; error?: string; mayHaveActed?: boolean };

async function act(store: Store, { task, executionId }: Held, index: number, effect: Effect): Promise<void> {
  const step = { taskId: task.id, executionId, index, title: 'x' };
  await store.transaction((tx) => store.steps.begin(tx, step, { commandId: newId(), epoch: 1 }));
  await store.transaction((tx) => store.steps.end(tx, step, 1, { ...effect, waitMs: 1, runMs: 2 }));
}
