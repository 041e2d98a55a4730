alter table users
  -- Nobody can log in as the built-in user: it has none.
  add column password_hash text,
  add column disabled_at timestamptz;

-- One place where a user is logged in: a family of refresh tokens, of which one is live at a time.
create table logins (
  id uuid primary key,
  user_id uuid not null references users,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  last_used_at timestamptz not null default date_trunc('milliseconds', now()),
  -- However often it is refreshed, it ends then.
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_because text,
  address text,
  user_agent text
);
create index logins_of_user on logins (user_id, last_used_at desc, id desc) where ended_at is null;

-- Only hashes are kept: whoever reads this table can use nothing in it.
create table access_tokens (
  hash bytea primary key,
  login_id uuid not null references logins on delete cascade,
  issued_at timestamptz not null default date_trunc('milliseconds', now()),
  expires_at timestamptz not null
);
create index access_tokens_of_login on access_tokens (login_id);

create table refresh_tokens (
  hash bytea primary key,
  login_id uuid not null references logins on delete cascade,
  parent_hash bytea,
  issued_at timestamptz not null default now(),
  -- Unused for so long, the login ends.
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The answer to whoever used it, for a retry within seconds; sealed under a key derived from the token itself.
  sealed_reply bytea
);
create index refresh_tokens_of_login on refresh_tokens (login_id);
-- A token has one child: what rotation promises, the database holds. It is also how a retry is told from a theft.
create unique index refresh_tokens_of_parent on refresh_tokens (parent_hash);

create table api_keys (
  id uuid primary key,
  user_id uuid not null references users,
  label text not null,
  hash bytea not null unique,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  last_used_at timestamptz,
  expires_at timestamptz,
  removed_at timestamptz
);
create index api_keys_of_user on api_keys (user_id, created_at desc, id desc) where removed_at is null;

-- Who did what, from where, and what came of it. Never deleted by the product itself.
create table audit (
  id uuid primary key,
  recorded_at timestamptz not null default date_trunc('milliseconds', now()),
  event text not null,
  outcome text not null,
  user_id uuid,
  actor_id uuid,
  address text,
  data jsonb not null default '{}'
);
create index audit_of_user on audit (user_id, recorded_at desc);

-- The counters of the limits; written by every server, so that a limit is one limit.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
