// Turns failures into answers: problem+json with a code of the contract. Only text that is safe to show becomes the detail.

import { AppError, errors, type Problem } from '@pilothouse/contract';
import { BlobsUnavailable, isDatabaseUnavailable } from '@pilothouse/store';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { standardHeaders } from '../delivery/standard-headers.ts';

export const problemType = 'application/problem+json';

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const failure = toAppError(error);
  const { status } = errors[failure.code];
  if (failure.code === 'internal') request.log.error({ err: error, request_id: request.id }, 'failed');
  else if (status >= 500) request.log.warn({ err: error, request_id: request.id }, 'not available');
  if (failure.retryAfterSecs !== undefined) reply.header('retry-after', failure.retryAfterSecs);
  reply.headers(failure.headers);
  if (status === 401) reply.header('www-authenticate', challenge(request, failure));
  // A hook sets them, too, but a request that fails before routing passes no hook.
  reply.header('x-request-id', request.id).headers(standardHeaders);
  return reply.code(status).type(problemType).send(problemOf(failure, request.id));
}

export function problemOf({ code, message, errors: fields }: AppError, requestId: string): Problem {
  const { status, title } = errors[code];
  const problem = {
    type: 'about:blank',
    title,
    status,
    detail: message,
    success: false,
    code,
    request_id: requestId,
  } as const;
  return fields ? { ...problem, errors: fields } : problem;
}

/** The token is named as the reason only if the request had one, or one of a share. */
const challenge = (request: FastifyRequest, { code }: AppError) =>
  bearerOf(request) || code === 'token_invalid' ? 'Bearer error="invalid_token"' : 'Bearer';

/** The bearer token of a request, valid or not. */
export const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];

/** A failure of the caller, of the database, of where blobs lie, or of our own code. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error) || error instanceof BlobsUnavailable)
    return new AppError('overloaded', { retryAfterSecs: 1, cause: error });
  if (hasZodFastifySchemaValidationErrors(error)) return toFieldErrors(error);
  // Fastify's own refusals have a 4xx status.
  const { statusCode = 500, message } = error as Partial<FastifyError>;
  if (statusCode === 413) return new AppError('payload_too_large', { cause: error });
  if (statusCode === 415)
    return new AppError('unsupported_media_type', { detail: 'Send application/json.', cause: error });
  if (statusCode === 404 || statusCode === 414) return new AppError('not_found', { cause: error });
  if (statusCode >= 400 && statusCode < 500)
    return new AppError('validation_failed', { detail: message, cause: error });
  return new AppError('internal', { cause: error });
}

type ValidationFailure = Pick<FastifyError, 'validationContext'> & {
  validation: { instancePath: string; message?: string }[];
};

function toFieldErrors({ validation, validationContext }: ValidationFailure): AppError {
  const part = validationContext === 'querystring' ? 'query' : (validationContext ?? 'body');
  return new AppError('validation_failed', {
    detail: `The ${part} is not valid.`,
    errors: validation.map(({ instancePath, message = 'is not valid' }) => ({
      pointer: `/${part}${instancePath === '/' ? '' : instancePath}`,
      message,
    })),
  });
}
