import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { InboxItem, Session, TaskSummary } from '@pilothouse/contract';
import { describeSession } from './session-state.ts';

const session = (status: Session['status']) => ({ status }) as Session;
const task = (status: TaskSummary['status'], rest: Partial<TaskSummary> = {}) =>
  ({ status, current_step: 0, current_step_title: '', last_error: null, ...rest }) as TaskSummary;
const driven = (held_by: string | null) => ({ takeover: { held_by } }) as InboxItem;

it('says of a session what its last task does', () => {
  const working = {
    session: session('active'),
    task: task('running', { current_step: 7, current_step_title: 'Click “Buy”' }),
  };
  assert.deepEqual(describeSession(working), { tone: 'agent', word: 'Working', line: 'Step 7 · Click “Buy”' });
  const failed = { session: session('idle'), task: task('failed', { last_error: 'Nothing is called “Buy”.' }) };
  assert.deepEqual(describeSession(failed), { tone: 'bad', word: 'Failed', line: 'Nothing is called “Buy”.' });
  assert.equal(describeSession({ session: session('idle') }).word, 'No task yet');
  assert.equal(describeSession({ session: session('closed'), task: task('success') }).word, 'Closed');
});

it('a person who drives is you, unless the holder is known to be another', () => {
  const driving = { session: session('takeover'), task: task('takeover') };
  assert.equal(describeSession(driving).tone, 'driving');
  assert.equal(describeSession({ ...driving, waiting: driven('me'), userId: 'me' }).tone, 'driving');
  assert.equal(describeSession({ ...driving, waiting: driven('mara'), userId: 'me' }).tone, 'other');
});
