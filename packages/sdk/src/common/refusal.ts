// Reads refusals of the server.

import { Problem } from '@pilothouse/contract';
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
  const problem = Problem.safeParse(body);
  return problem.success ? new ApiError(problem.data, retryAfterSecs) : undefined;
}
