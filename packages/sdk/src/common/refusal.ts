// Reads refusals of the server.

import type { ErrorCode, Problem } from '@pilothouse/contract';
import { errors } from '@pilothouse/contract/wire';
import { ApiError, ConnectionError } from './errors.ts';

/** A body that is not a problem document of the contract comes from something in between, such as a proxy. */
export async function toError(response: Response): Promise<ApiError | ConnectionError> {
  const body: unknown = await response.json().catch(() => undefined);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const error = readProblem(body, Number.isFinite(retryAfter) ? retryAfter : undefined);
  return error ?? new ConnectionError(`answered ${response.status} without a reason we know`);
}

/** Undefined if the body is not a problem document of the contract. */
export function readProblem(body: unknown, retryAfterSecs: number | undefined): ApiError | undefined {
  return isProblem(body) ? new ApiError(body, retryAfterSecs) : undefined;
}

function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false;
  const { success, code, status, detail, request_id, errors: fields = [] } = body as Partial<Problem>;
  const areTexts = typeof detail === 'string' && typeof request_id === 'string';
  return success === false && isCode(code) && typeof status === 'number' && areTexts && Array.isArray(fields);
}

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errors, code);
