import { Problem } from '@pilothouse/contract';
import { ApiError, ConnectionError } from './errors.ts';

/** Reads a refusal. What is no problem document of ours comes from something in between, such as a proxy. */
export async function toError(response: Response): Promise<ApiError | ConnectionError> {
  const body: unknown = await response.json().catch(() => undefined);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const error = readProblem(body, Number.isFinite(retryAfter) ? retryAfter : undefined);
  return error ?? new ConnectionError(`answered ${response.status} without a reason we know`);
}

/** Nothing, for what is no problem document of ours. */
export function readProblem(body: unknown, retryAfterSecs: number | undefined): ApiError | undefined {
  const problem = Problem.safeParse(body);
  return problem.success ? new ApiError(problem.data, retryAfterSecs) : undefined;
}
