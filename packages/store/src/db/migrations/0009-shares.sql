-- The right to watch one session without a login. A session has one at a time: a second takes the place of the first.
create table shares (
  session_id uuid primary key references sessions on delete cascade,
  -- Another with each token, so that whoever came with the former can be told from who came with this one.
  id uuid not null unique,
  -- Only the hash is kept: whoever reads this table can watch nothing with it.
  hash bytea not null unique,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  expires_at timestamptz not null
);
