// What went wrong with a message without anybody waiting for an answer: for logs and counters, not for control.

export interface Problem {
  kind: 'bad_message' | 'handler_failed' | 'reply_lost';
  /** The definition's name. */
  name: string;
  subject: string;
  error: unknown;
}

export type OnProblem = (problem: Problem) => void;
