// The public interface of the SDK.

export type { EvidenceLine, IrreversibleAnswer, Question, TaskResult, TaskStatus } from '@pilothouse/contract';
export { canMove, isTerminal, sessionMoves, takeoverMoves, taskMoves } from '@pilothouse/contract/wire';
export type { CallOptions } from './client/call.ts';
export { type Client, type ClientOptions, createClient } from './client/client.ts';
export { readEvidence } from './client/evidence.ts';
export type { CallInput, CallResult } from './client/request.ts';
export type { Clock } from './common/clock.ts';
export { ApiError, ConnectionError, isApiError } from './common/errors.ts';
export type { TokenStorage } from './common/kept-tokens.ts';
export type { Locks } from './common/tab-lock.ts';
export type { RenewableToken } from './common/token.ts';
export type { ClientLogin, LoginOptions } from './login/client-login.ts';
export { createLogin } from './login/login.ts';
export { createSseParser, type SseParser } from './streams/sse.ts';
export type { ConnectionState, StreamOptions } from './streams/stream.ts';
export { answerQuestion, type QuestionAnswer } from './tasks/answer-question.ts';
export { giveFile, readTaskFile } from './tasks/files.ts';
export { followRun, type RunOptions, runTask, type StartOptions, type TaskRun } from './tasks/run-task.ts';
export { type Driving, type InputAction, type TakeOverInput, takeOver } from './tasks/take-over.ts';
export type { TaskUpdate } from './tasks/task-updates.ts';
