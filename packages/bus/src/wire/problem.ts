// A problem with a message for which no caller waits: for logs and counters.

export interface Problem {
  kind: 'bad_message' | 'handler_failed' | 'reply_lost';
  /** The definition's name. */
  name: string;
  subject: string;
  error: unknown;
}

export type OnProblem = (problem: Problem) => void;
