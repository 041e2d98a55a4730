import type { Caller, Store } from '@pilothouse/store';

/** An admin may read everything, and everybody may learn that it was read. */
export async function auditForeignRead(
  { audit }: Pick<Store, 'audit'>,
  caller: Caller,
  ownerId: string,
  what: object,
): Promise<void> {
  if (!isAdminWithLogin(caller) || ownerId === caller.id) return;
  await audit.add(entryOf(caller, ownerId, what));
}

/** The same for a list of what belongs to many: a line for each of them. */
export async function auditForeignList(
  { audit, transaction }: Pick<Store, 'audit' | 'transaction'>,
  caller: Caller,
  ownerIds: string[],
  what: object,
): Promise<void> {
  const others = [...new Set(ownerIds)].filter((id) => id !== caller.id);
  if (!isAdminWithLogin(caller) || others.length === 0) return;
  await transaction(async (tx) => {
    for (const id of others) await audit.add(entryOf(caller, id, what), tx);
  });
}

const isAdminWithLogin = (caller: Caller) =>
  caller.role === 'admin' && (caller.loginId !== undefined || caller.keyId !== undefined);

const entryOf = (caller: Caller, ownerId: string, what: object) => ({
  event: 'admin_read',
  outcome: 'success',
  userId: ownerId,
  actorId: caller.id,
  data: what,
});
