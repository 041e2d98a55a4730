import { AppError } from '@pilothouse/contract';
import { dictionary } from '@zxcvbn-ts/language-common';

/** Ordered by how often they are met. */
const commonest = new Set(dictionary['passwords-common'].slice(0, 3000).map((password) => password.toLowerCase()));

type Chosen = { password: string; username: string; email: string; minLength: number; pointer: string };

/** No rules of composition: only long enough, not what everybody tries first, and not the name on the door. */
export function requireGoodPassword({ password, username, email, minLength, pointer }: Chosen): void {
  const plain = password.normalize('NFKC').toLowerCase();
  const refuse = (message: string) => {
    throw new AppError('validation_failed', { detail: `The password ${message}.`, errors: [{ pointer, message }] });
  };
  if ([...password].length < minLength) refuse(`must have at least ${minLength} characters`);
  if (commonest.has(plain)) refuse('is one of the most common');
  if (plain === username.toLowerCase() || plain === email.toLowerCase()) refuse('must not be the name or the address');
}
