-- Who may register where registration is not open. The token is stored as a hash. A first invitation is written by a server that finds
-- no user: it makes the first administrator, and only one of them counts.
create table invites (
  id uuid primary key,
  token_hash bytea not null unique,
  role user_role not null,
  note text,
  is_first boolean not null default false,
  created_by uuid references users (id) on delete cascade,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  expires_at timestamptz not null,
  used_at timestamptz,
  used_by uuid references users (id) on delete set null
);
create index invites_newest on invites (created_at desc, id desc);
create index invites_by_creator on invites (created_by);
create index invites_by_user on invites (used_by);
