import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canMove, isTerminal, type Move, sessionMoves, takeoverMoves, taskMoves, terminalTaskStates } from './moves.ts';
import { SessionState, TakeoverState, TaskState } from './states.ts';

const tables: { name: string; states: string[]; moves: Record<string, Move<string>>; allowed: string[] }[] = [
  {
    name: 'task',
    states: TaskState.options,
    moves: taskMoves,
    allowed: [
      'pending -> running',
      'pending -> failed',
      'pending -> cancelled',
      'running -> success',
      'running -> failed',
      'running -> cancelled',
      'running -> awaiting_user',
      'running -> takeover',
      'awaiting_user -> running',
      'awaiting_user -> takeover',
      'awaiting_user -> failed',
      'awaiting_user -> cancelled',
      'takeover -> running',
      'takeover -> awaiting_user',
      'takeover -> failed',
      'takeover -> cancelled',
    ],
  },
  {
    name: 'session',
    states: SessionState.options,
    moves: sessionMoves,
    allowed: [
      'idle -> active',
      'idle -> takeover',
      'idle -> closed',
      'active -> idle',
      'active -> takeover',
      'active -> closed',
      'takeover -> idle',
      'takeover -> active',
      'takeover -> closed',
    ],
  },
  {
    name: 'takeover',
    states: TakeoverState.options,
    moves: takeoverMoves,
    allowed: [
      'requested -> active',
      'requested -> ended',
      'active -> resuming',
      'active -> ended',
      'resuming -> ended',
    ],
  },
];

for (const { name, states, moves, allowed } of tables) {
  test(`a ${name} moves only between known states`, () => {
    for (const { from, to } of Object.values(moves)) {
      for (const state of [...from, to]) assert.ok(states.includes(state), state);
    }
  });

  test(`a ${name} can move exactly as decided`, () => {
    const found = states.flatMap((from) =>
      Object.values(moves)
        .filter((move) => canMove(from, move))
        .map((move) => `${from} -> ${move.to}`),
    );
    assert.deepEqual(found.toSorted(), allowed.toSorted());
  });
}

test('nothing leads out of a finished task, a closed session or an ended takeover', () => {
  for (const state of terminalTaskStates) {
    assert.ok(isTerminal(state));
    for (const move of Object.values(taskMoves)) assert.ok(!canMove<TaskState>(state, move));
  }
  for (const move of Object.values(sessionMoves)) assert.ok(!canMove<SessionState>('closed', move));
  for (const move of Object.values(takeoverMoves)) assert.ok(!canMove<TakeoverState>('ended', move));
});

test('every state of a task that is not terminal can still be cancelled', () => {
  for (const state of TaskState.options) assert.equal(canMove(state, taskMoves.cancel), !isTerminal(state), state);
});
