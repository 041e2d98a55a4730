// Writes to the audit of a user that an admin has read something of theirs.

import type { Caller, Store } from '@pilothouse/store';

export async function auditForeignRead(
  { audit }: Pick<Store, 'audit'>,
  caller: Caller,
  ownerId: string,
  what: object,
): Promise<void> {
  if (!isAdminWithLogin(caller) || ownerId === caller.id) return;
  await audit.add(entryOf(caller, ownerId, what));
}

/** The same for a list: a line for each owner, all in one statement. */
export async function auditForeignList(
  { audit }: Pick<Store, 'audit'>,
  caller: Caller,
  ownerIds: string[],
  what: object,
): Promise<void> {
  const others = [...new Set(ownerIds)].filter((id) => id !== caller.id);
  if (!isAdminWithLogin(caller) || others.length === 0) return;
  await audit.addAll(others.map((id) => entryOf(caller, id, what)));
}

/** The same for a list of tasks. A task in the caller's own session may have another creator: that is no foreign read. */
export async function auditTaskList(
  store: Pick<Store, 'audit'>,
  caller: Caller,
  tasks: { owner_id: string; created_by: string }[],
  list: string,
): Promise<void> {
  const owners = tasks.flatMap(({ owner_id, created_by }) => (owner_id === caller.id ? [] : created_by));
  await auditForeignList(store, caller, owners, { list });
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
