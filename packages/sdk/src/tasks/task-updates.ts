// The progress of a task, out of the events of its stream. Keeps only what a program shows or acts on.

import type {
  ExecutionStep,
  LogEntry,
  Observation,
  Question,
  Takeover,
  TaskEvent,
  TaskProgress,
  TaskResult,
} from '@pilothouse/contract';

export type TaskUpdate =
  /** The status, the current step, how many there are. */
  | { type: 'status'; status: TaskProgress }
  /** A step begins (`running`), or one attempt at it ended. */
  | { type: 'step'; step: ExecutionStep }
  | { type: 'log'; log: LogEntry }
  | { type: 'observation'; observation: Observation }
  /** The task asks a person. Null: the question is answered, or no longer open. */
  | { type: 'question'; question: Question | null }
  /** A person wants to drive, drives, or handed back. */
  | { type: 'takeover'; takeover: Takeover }
  | { type: 'result'; result: TaskResult };

/** Returns the update of each event; undefined where there is nothing to tell. */
export function createUpdates() {
  let askedAt: string | undefined;
  return {
    of(event: TaskEvent): TaskUpdate | undefined {
      if (event.type === 'status') return { type: 'status', status: event.status };
      if (event.type === 'step') return { type: 'step', step: event.step };
      if (event.type === 'log') return { type: 'log', log: event.log };
      if (event.type === 'observation') return { type: 'observation', observation: event.observation };
      if (event.type === 'takeover') return { type: 'takeover', takeover: event.takeover };
      if (event.type === 'result') return { type: 'result', result: event.result };
      return event.type === 'message_state' ? this.ofQuestion(event.message_state.pending_question) : undefined;
    },
    /** A conversation changes more often than its question. */
    ofQuestion(question: Question | null): TaskUpdate | undefined {
      if (question?.asked_at === askedAt) return undefined;
      askedAt = question?.asked_at;
      return { type: 'question', question };
    },
  };
}
