-- Values that are typed by their name. The value, and the key of one-time codes with it, is sealed and bound to the owner, the
-- name and the origins: changed origins do not open it.
create table secrets (
  id uuid primary key,
  owner_id uuid not null references users (id) on delete cascade,
  name text not null,
  origins text[] not null,
  has_totp boolean not null,
  sealed bytea not null,
  key_id text not null,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz not null default date_trunc('milliseconds', now()),
  last_used_at timestamptz,
  unique (owner_id, name)
);
create index secrets_by_key on secrets (key_id);

-- What was typed in a session, sealed: hosts and agents redact these values, also after the secret was changed or removed. The
-- rows go when the session is closed.
create table session_secrets (
  session_id uuid not null references sessions (id) on delete cascade,
  secret_id uuid not null,
  -- When the secret was written: another value is another row.
  written_at timestamptz not null,
  sealed bytea not null,
  key_id text not null,
  primary key (session_id, secret_id, written_at)
);
create index session_secrets_by_key on session_secrets (key_id);
