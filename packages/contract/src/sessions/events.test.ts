import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inboxKinds, loggedLiveKinds, loggedTaskKinds, passingLiveKinds, passingTaskKinds } from './event-kinds.ts';
import { InboxEvent, LiveEvent, TaskEvent } from './events.ts';

type Option = { shape: Record<string, unknown> & { type: { value: string } } };

const streams = [
  {
    name: 'task',
    options: TaskEvent.options as Option[],
    logged: loggedTaskKinds,
    passing: passingTaskKinds,
    kinds: 'status log step observation overlay agent_history message_state takeover result end reset',
  },
  {
    name: 'live',
    options: LiveEvent.options as Option[],
    logged: loggedLiveKinds,
    passing: passingLiveKinds,
    kinds: 'snapshot status frame overlay route task takeover message_state viewers pages driver_view copied reset',
  },
  { name: 'inbox', options: InboxEvent.options as Option[], logged: [], passing: inboxKinds, kinds: 'inbox reset' },
];

for (const { name, options, logged, passing, kinds } of streams) {
  test(`the ${name} stream has exactly the kinds that were decided`, () => {
    assert.deepEqual(
      options.map(({ shape }) => shape.type.value),
      kinds.split(' '),
    );
    assert.deepEqual([...logged, ...passing].toSorted(), kinds.split(' ').toSorted());
  });

  test(`each logged event of the ${name} stream says where and when it was logged, and no other does`, () => {
    for (const { shape } of options) {
      const isLogged = logged.some((kind) => kind === shape.type.value);
      for (const key of ['seq', 'session_id', 'recorded_at']) assert.equal(key in shape, isLogged, shape.type.value);
    }
  });
}

test('an event is told by its type', () => {
  assert.deepEqual(LiveEvent.parse({ type: 'viewers', viewers: 2 }), { type: 'viewers', viewers: 2 });
  assert.deepEqual(TaskEvent.parse({ type: 'reset', reason: 'cursor_expired' }), {
    type: 'reset',
    reason: 'cursor_expired',
  });
  assert.ok(!TaskEvent.safeParse({ type: 'frame' }).success);
});
