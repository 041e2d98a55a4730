export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts';
export type { Clock } from './clock.ts';
export { ApiError, ConnectionError, isApiError } from './errors.ts';
export type { TokenStorage } from './kept-tokens.ts';
export { type ClientLogin, createLogin, type LoginOptions } from './login.ts';
export type { CallInput, CallResult } from './request.ts';
export type { ConnectionState, StreamOptions } from './stream.ts';
export type { Locks } from './tab-lock.ts';
export type { RenewableToken } from './token.ts';
