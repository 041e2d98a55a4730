// Secrets of a user: written, listed by name and removed. Never answers, logs or audits a value.

import {
  AppError,
  type BodyOf,
  type ReplyOf,
  type routes,
  type Secret,
  secretLimits,
  secretName,
} from '@pilothouse/contract';
import type { Caller, SecretRow, Store } from '@pilothouse/store';
import type { From } from '../http/call.ts';

type Routes = typeof routes;

export function createSecretsService({ store }: { store: Store }) {
  return {
    async list(caller: Caller): Promise<ReplyOf<Routes['listSecrets']>> {
      return { success: true, secrets: (await store.secrets.list(caller.id)).map(viewSecret) };
    },

    /** The origins cannot be changed without the value: a caller who does not know it cannot have it typed elsewhere. */
    async put(
      caller: Caller,
      name: string,
      body: BodyOf<Routes['putSecret']>,
      { address }: From,
    ): Promise<ReplyOf<Routes['putSecret']>> {
      if (!secretName.test(name)) throw badName();
      if (!store.secrets.isOn)
        throw new AppError('conflict', { detail: 'This server keeps no secrets: PROFILE_KEY is not set.' });
      const row = await store.transaction(async (tx) => {
        await store.quotas.lock(tx, caller.id);
        if ((await store.secrets.countOthers(tx, caller.id, name)) >= secretLimits.count) throw tooMany();
        const written = await store.secrets.put(tx, caller.id, { name, ...body });
        // Administrators read the audit, and names and origins are words of the user.
        const data = { origins: written.origins.length, has_totp: written.has_totp };
        await store.audit.add({ event: 'put_secret', outcome: 'success', userId: caller.id, address, data }, tx);
        return written;
      });
      return { success: true, secret: viewSecret(row) };
    },

    async remove(caller: Caller, name: string, { address }: From): Promise<ReplyOf<Routes['deleteSecret']>> {
      await store.transaction(async (tx) => {
        if (!secretName.test(name) || !(await store.secrets.remove(tx, caller.id, name)))
          throw new AppError('not_found');
        await store.audit.add({ event: 'delete_secret', outcome: 'success', userId: caller.id, address }, tx);
      });
      return { success: true };
    },
  };
}
export type SecretsService = ReturnType<typeof createSecretsService>;

const badName = () =>
  new AppError('validation_failed', {
    detail: 'This cannot be the name of a secret.',
    errors: [{ pointer: '/params/name', message: 'must be 1 to 64 letters, digits, dots, dashes or underscores' }],
  });

const tooMany = () =>
  new AppError('quota_exceeded', { detail: `You have ${secretLimits.count} secrets, as many as you may.` });

/** Field by field: a new column is not shown by itself. */
const viewSecret = ({ name, origins, has_totp, created_at, updated_at, last_used_at }: SecretRow): Secret => ({
  name,
  origins,
  has_totp,
  created_at: created_at.toISOString(),
  updated_at: updated_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
});
