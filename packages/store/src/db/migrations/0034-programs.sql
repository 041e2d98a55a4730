-- A program drives a session while this is the epoch of its browser: whatever else raises the epoch, fences the program.
alter table browsers add column program_epoch bigint;

-- With these, programs that cannot send headers connect, each once. The tickets themselves are not stored.
create table program_tickets (
  ticket_hash bytea primary key,
  session_id uuid not null references sessions (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  login_id uuid,
  key_id uuid,
  expires_at timestamptz not null
);
create index program_tickets_by_session on program_tickets (session_id);

-- The programs that are connected, each at one server, which says while it lasts that it is there. A session with one needs a
-- browser.
create table program_connections (
  id uuid primary key,
  session_id uuid not null references sessions (id) on delete cascade,
  user_id uuid not null references users (id) on delete cascade,
  seen_at timestamptz not null default clock_timestamp()
);
create index program_connections_by_session on program_connections (session_id);
