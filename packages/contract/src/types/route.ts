// The type of a route.

import { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/**
 * One route of the API. The server checks requests against it, the SDK is typed by it, the OpenAPI document is
 * generated from it, and tests cover all routes.
 */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with `:name` for parameters. */
  path: `/api/${string}`;
  /**
   * `public`: anyone, and no token is read. `anyone`: with or without a login; a token that is sent has to be valid. `user`: a
   * login. `share`: a login, or the share token of the session.
   */
  access: 'public' | 'anyone' | 'user' | 'share';
  /** Whether it belongs to the frozen interface, or is an extension. */
  origin: 'interface' | 'extension';
  area: 'auth' | 'admin' | 'chat' | 'sessions' | 'tasks' | 'secrets' | 'service';
  /**
   * Which limit of its caller a call counts against, by the minute: `write` changes something, `input` is input of a
   * person who drives, `look` asks a browser for a picture. None by default.
   */
  limit?: 'write' | 'input' | 'look';
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  headers?: z.ZodObject;
  /** A body schema that accepts `undefined` makes the body optional. */
  body?: z.ZodType;
  bodyLimitBytes?: number;
  /** JSON bodies of success by status; `noContent` if there is none. */
  replies: Readonly<Record<number, z.ZodType>>;
  /** Content types, if success may also be bytes (pictures, files). */
  bytes?: readonly string[];
  /** One line of them, if they are JSON line by line. */
  lines?: z.ZodType;
  /** The events, if the route answers with a server-sent event stream. */
  stream?: z.ZodType;
  errors: readonly ErrorCode[];
};

export const noContent = z.undefined();

/** The envelope of a success; extended by each route. */
export const Success = z.object({ success: z.literal(true) });

export const bodyLimits = { auth: 16 * 1024, chat: 256 * 1024, other: 64 * 1024 } as const;

/** The errors of routes that need a login, and of routes that have a body. */
export const loginErrors = ['token_missing', 'token_invalid', 'token_expired'] as const satisfies ErrorCode[];
export const bodyErrors = [
  'validation_failed',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies ErrorCode[];

type Nothing = Record<never, never>;

/** The parts of a request as a handler gets them: checked, converted, with defaults. */
export type ParamsOf<R extends Route> = R extends { params: infer S extends z.ZodType } ? z.output<S> : Nothing;
export type QueryOf<R extends Route> = R extends { query: infer S extends z.ZodType } ? z.output<S> : Nothing;
export type HeadersOf<R extends Route> = R extends { headers: infer S extends z.ZodType } ? z.output<S> : Nothing;
export type BodyOf<R extends Route> = R extends { body: infer S extends z.ZodType } ? z.output<S> : undefined;

/** The same parts as a caller passes them. */
export type ParamsIn<R extends Route> = R extends { params: infer S extends z.ZodType } ? z.input<S> : Nothing;
export type QueryIn<R extends Route> = R extends { query: infer S extends z.ZodType } ? z.input<S> : Nothing;
export type HeadersIn<R extends Route> = R extends { headers: infer S extends z.ZodType } ? z.input<S> : Nothing;
export type BodyIn<R extends Route> = R extends { body: infer S extends z.ZodType } ? z.input<S> : Nothing;

/** Any of the JSON bodies of success. */
export type ReplyOf<R extends Route> = z.output<R['replies'][keyof R['replies']]>;

/** One event of the route's stream. */
export type EventOf<R extends Route> = R extends { stream: infer S extends z.ZodType } ? z.output<S> : never;
