// How the first administrator gets in where registration is not open: a link in the log of a server that finds no user. It counts
// once, and not for long.

import type { Registration } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { Store } from '@pilothouse/store';
import { pathOf } from './invites.service.ts';
import { hashOf, newToken } from './tokens.ts';

const validSecs = 86_400;

export async function inviteFirst(
  { invites }: Pick<Store, 'invites'>,
  { registration, log }: { registration: Registration; log: Log },
): Promise<void> {
  if (registration === 'open') return;
  const token = newToken('invite');
  if (!(await invites.addFirst(hashOf(token), validSecs))) return;
  log.warn(
    { open: pathOf(token), hours: validSecs / 3600 },
    'there is no user yet: open this path of the console once to become the administrator',
  );
}
