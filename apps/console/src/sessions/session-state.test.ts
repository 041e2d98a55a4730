import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { InboxItem, LastTask, ListedSession } from '@pilothouse/contract';
import { describeSession } from './session-state.ts';

const session = (status: ListedSession['status'], last_task: LastTask | null = null) =>
  ({ status, last_task, needs_person: null }) as ListedSession;
const task = (status: LastTask['status'], rest: Partial<LastTask> = {}) =>
  ({ status, current_step: 0, current_step_title: '', ...rest }) as LastTask;
const driven = (held_by: string | null) => ({ takeover: { held_by } }) as InboxItem;

it('says of a session what its last task does', () => {
  const working = {
    session: session('active', task('running', { current_step: 7, current_step_title: 'Click “Buy”' })),
  };
  assert.deepEqual(describeSession(working), { tone: 'agent', word: 'Working', line: 'Step 7 · Click “Buy”' });
  const failed = { session: session('idle', task('failed', { current_step: 2, current_step_title: 'Click “Buy”' })) };
  assert.deepEqual(describeSession(failed), { tone: 'bad', word: 'Failed', line: 'Step 2 · Click “Buy”' });
  assert.equal(describeSession({ session: session('idle') }).word, 'No task yet');
  const needs_person = { task_id: 't', why: 'question', text: 'Which one?', since: '' } as const;
  const asking = { session: { ...session('active', task('awaiting_user')), needs_person } };
  assert.deepEqual(describeSession(asking), { tone: 'person', word: 'Asks you', line: 'Which one?' });
  assert.equal(describeSession({ session: session('closed', task('success')) }).word, 'Closed');
});

it('a person who drives is you, unless the holder is known to be another', () => {
  const driving = { session: session('takeover', task('takeover')) };
  assert.equal(describeSession(driving).tone, 'driving');
  assert.equal(describeSession({ ...driving, waiting: driven('me'), userId: 'me' }).tone, 'driving');
  assert.equal(describeSession({ ...driving, waiting: driven('mara'), userId: 'me' }).tone, 'other');
});
