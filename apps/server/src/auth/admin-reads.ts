import type { Caller, Store } from '@pilothouse/store';

/** An admin may read everything, and everybody may learn that it was read. */
export async function auditForeignRead(
  { audit }: Pick<Store, 'audit'>,
  caller: Caller,
  ownerId: string,
  what: object,
): Promise<void> {
  const isAdminWithLogin = caller.role === 'admin' && (caller.loginId !== undefined || caller.keyId !== undefined);
  if (!isAdminWithLogin || ownerId === caller.id) return;
  await audit.add({ event: 'admin_read', outcome: 'success', userId: ownerId, actorId: caller.id, data: what });
}
