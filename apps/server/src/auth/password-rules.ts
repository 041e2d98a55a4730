// Which passwords are refused: short ones, the most common ones, and the name or e-mail address of the user.

import { AppError } from '@pilothouse/contract';
import { dictionary } from '@zxcvbn-ts/language-common';

/** The dictionary is ordered by frequency. */
const commonest = new Set(dictionary['passwords-common'].slice(0, 3000).map((password) => password.toLowerCase()));

type PasswordChoice = { password: string; username: string; email: string; minLength: number; pointer: string };

/** There are no rules of composition, such as digits or capitals. */
export function requireGoodPassword({ password, username, email, minLength, pointer }: PasswordChoice): void {
  const plain = password.normalize('NFKC').toLowerCase();
  const refuse = (message: string) => {
    throw new AppError('validation_failed', { detail: `The password ${message}.`, errors: [{ pointer, message }] });
  };
  if ([...password].length < minLength) refuse(`must have at least ${minLength} characters`);
  if (commonest.has(plain)) refuse('is one of the most common');
  if (plain === username.toLowerCase() || plain === email.toLowerCase()) refuse('must not be the name or the address');
}
