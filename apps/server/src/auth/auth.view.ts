// Users, logins and keys as the API shows them, field by field.

import type { ApiKey, Invite, Login, User, UserClaims } from '@pilothouse/contract';
import type { InviteRow, KeyRow, LoginRow, TokenHolder, UserRow } from '@pilothouse/store';

export const viewUser = ({ id, username, email, role }: UserRow): User => ({ id, username, email, role });

/** Claims are in whole seconds. */
const seconds = (time: Date) => Math.floor(time.getTime() / 1000);

export const viewClaims = (holder: TokenHolder): UserClaims => ({
  sub: holder.user_id,
  id: holder.user_id,
  username: holder.username,
  email: holder.email,
  role: holder.role,
  sid: holder.login_id,
  iat: seconds(holder.issued_at),
  exp: seconds(holder.expires_at),
});

export const viewLogin = (row: LoginRow, currentId: string | undefined): Login => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  address: row.address,
  user_agent: row.user_agent,
  current: row.id === currentId,
});

export const viewKey = (row: KeyRow): ApiKey => ({
  id: row.id,
  label: row.label,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
});

export const viewInvite = (row: InviteRow): Invite => ({
  id: row.id,
  note: row.note,
  role: row.role,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  used_at: row.used_at?.toISOString() ?? null,
  used_by: row.used_by,
});
