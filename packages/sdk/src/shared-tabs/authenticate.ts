// Authentication for the shared worker, which sends requests for the tabs and has no tokens of its own.

import { ApiError } from '../common/errors.ts';
import type { Token } from '../common/token.ts';
import type { Proof } from './messages.ts';

type Options = { token: (() => Token | Promise<Token>) | undefined; shareToken: string | undefined };

export function createProve({ token, shareToken }: Options) {
  const proofOf = (value: string | undefined): Proof =>
    value === undefined ? 'none' : { headers: { authorization: `Bearer ${value}` } };

  return async (refused: string | undefined): Promise<Proof> => {
    if (shareToken !== undefined) return { headers: { 'x-share-token': shareToken } };
    if (!token) return { headers: {} };
    try {
      const current = await token();
      const value = typeof current === 'object' ? current.value : current;
      if (`Bearer ${value}` !== refused) return proofOf(value);
      return proofOf(typeof current === 'object' ? await current.renew() : undefined);
    } catch (error) {
      return error instanceof ApiError && error.status === 401 ? 'none' : 'later';
    }
  };
}
