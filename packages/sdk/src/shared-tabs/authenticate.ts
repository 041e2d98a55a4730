import { ApiError } from '../errors.ts';
import type { Token } from '../token.ts';
import type { Proof } from './messages.ts';

type Options = { token: (() => Token | Promise<Token>) | undefined; shareToken: string | undefined };

/** What lets a request in, for the worker that asks in our place: it has no tokens of its own. */
export function createProve({ token, shareToken }: Options) {
  const proofOf = (value: string | undefined): Proof =>
    value === undefined ? 'none' : { headers: { authorization: `Bearer ${value}` } };

  return async (refused: string | undefined): Promise<Proof> => {
    if (shareToken !== undefined) return { headers: { 'x-share-token': shareToken } };
    if (!token) return { headers: {} };
    try {
      const given = await token();
      const value = typeof given === 'object' ? given.value : given;
      if (`Bearer ${value}` !== refused) return proofOf(value);
      return proofOf(typeof given === 'object' ? await given.renew() : undefined);
    } catch (error) {
      return error instanceof ApiError && error.status === 401 ? 'none' : 'later';
    }
  };
}
