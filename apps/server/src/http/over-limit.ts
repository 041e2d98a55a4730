// The refusal of a call that is over a rate limit.

import { AppError } from '@pilothouse/contract';

export type OverLimit = {
  name: string;
  limit: number;
  windowSecs: number;
  remaining: number;
  retryAfterSecs: number;
  detail?: string;
};

export const overLimit = ({ name, limit, windowSecs, remaining, retryAfterSecs, detail }: OverLimit): AppError =>
  new AppError('rate_limited', {
    detail,
    retryAfterSecs,
    headers: {
      'ratelimit-policy': `"${name}";q=${limit};w=${windowSecs}`,
      ratelimit: `"${name}";r=${remaining};t=${retryAfterSecs}`,
    },
  });
