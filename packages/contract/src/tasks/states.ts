// The states of tasks and sessions, and the moves between them.

import { z } from 'zod';

// States are data: the store applies a move in one conditional statement, and buttons of a front end use the same
// table.

export const TaskState = z
  .enum(['pending', 'running', 'awaiting_user', 'takeover', 'success', 'failed', 'cancelled'])
  .meta({ id: 'TaskState' });
export type TaskState = z.infer<typeof TaskState>;

/** `active`: a task runs or waits. `takeover`: a person drives. */
export const SessionState = z.enum(['idle', 'active', 'takeover', 'closed']).meta({ id: 'SessionState' });
export type SessionState = z.infer<typeof SessionState>;

/** Independent of the session's state: a cold browser is restored from its saved state when needed. */
export const BrowserState = z.enum(['cold', 'starting', 'live']).meta({ id: 'BrowserState' });
export type BrowserState = z.infer<typeof BrowserState>;

export const TakeoverState = z.enum(['requested', 'active', 'resuming', 'ended']).meta({ id: 'TakeoverState' });
export type TakeoverState = z.infer<typeof TakeoverState>;

export type Move<State extends string> = { readonly from: readonly State[]; readonly to: State };

export const taskMoves = {
  start: { from: ['pending'], to: 'running' },
  finish: { from: ['running'], to: 'success' },
  fail: { from: ['pending', 'running', 'awaiting_user', 'takeover'], to: 'failed' },
  cancel: { from: ['pending', 'running', 'awaiting_user', 'takeover'], to: 'cancelled' },
  ask: { from: ['running'], to: 'awaiting_user' },
  answer: { from: ['awaiting_user'], to: 'running' },
  take: { from: ['running', 'awaiting_user'], to: 'takeover' },
  handBack: { from: ['takeover'], to: 'running' },
  // The question is still open if the takeover ends without an answer.
  handBackAsking: { from: ['takeover'], to: 'awaiting_user' },
} as const satisfies Record<string, Move<TaskState>>;
export type TaskMove = keyof typeof taskMoves;

export const sessionMoves = {
  work: { from: ['idle'], to: 'active' },
  rest: { from: ['active'], to: 'idle' },
  take: { from: ['idle', 'active'], to: 'takeover' },
  handBackToWork: { from: ['takeover'], to: 'active' },
  handBackToRest: { from: ['takeover'], to: 'idle' },
  close: { from: ['idle', 'active', 'takeover'], to: 'closed' },
} as const satisfies Record<string, Move<SessionState>>;
export type SessionMove = keyof typeof sessionMoves;

export const takeoverMoves = {
  activate: { from: ['requested'], to: 'active' },
  resume: { from: ['active'], to: 'resuming' },
  end: { from: ['requested', 'active', 'resuming'], to: 'ended' },
} as const satisfies Record<string, Move<TakeoverState>>;
export type TakeoverMove = keyof typeof takeoverMoves;

/** Whether the state allows the move: `canMove(task.status, taskMoves.cancel)`. */
export const canMove = <State extends string>(state: State, move: Move<State>): boolean => move.from.includes(state);

/** The final states of a task. */
export const terminalTaskStates = ['success', 'failed', 'cancelled'] as const satisfies TaskState[];
export type TerminalTaskState = (typeof terminalTaskStates)[number];

export const isTerminal = (state: TaskState): state is TerminalTaskState =>
  (terminalTaskStates as readonly TaskState[]).includes(state);
