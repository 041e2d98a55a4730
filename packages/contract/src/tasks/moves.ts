// The states of tasks and sessions, and the moves between them. States are data: the store applies a move in one conditional
// statement, and buttons of a front end use the same table. Loaded by browsers: imports nothing.

export const taskStates = [
  'pending',
  'running',
  'awaiting_user',
  'takeover',
  'success',
  'failed',
  'cancelled',
] as const;
export const sessionStates = ['idle', 'active', 'takeover', 'closed'] as const;
export const browserStates = ['cold', 'starting', 'live'] as const;
export const takeoverStates = ['requested', 'active', 'resuming', 'ended'] as const;

type TaskState = (typeof taskStates)[number];
type SessionState = (typeof sessionStates)[number];
type TakeoverState = (typeof takeoverStates)[number];

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
