export { type CallOptions, type Client, type ClientOptions, createClient } from './client.ts';
export { ApiError, ConnectionError, isApiError } from './errors.ts';
export type { CallInput, CallResult } from './request.ts';
export type { ConnectionState, StreamOptions } from './stream.ts';
