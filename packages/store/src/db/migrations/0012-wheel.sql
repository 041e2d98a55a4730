-- The words are the contract's; a test holds the two lists together.
create type takeover_status as enum ('requested', 'active', 'resuming', 'ended');

-- The times in which a person drives, or wants to.
create table takeovers (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  -- Nothing, where no task of the session had begun.
  task_id uuid references tasks on delete cascade,
  status takeover_status not null default 'requested',
  -- Who may drive, and what they call themselves.
  holder_id uuid not null references users,
  requested_by text not null,
  reason text,
  -- Under which whoever drives acts; 0 before anybody was stopped for it.
  epoch bigint not null default 0,
  -- How long the wheel stays with somebody who does nothing.
  lease_secs int not null,
  expires_at timestamptz not null,
  renewed_at timestamptz not null default clock_timestamp(),
  -- With this also somebody else may give it back. Only the hash is kept.
  token_hash bytea not null,
  requested_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  activated_at timestamptz,
  ended_at timestamptz,
  -- Where the browser was when they took it, and where it was when it was looked at again.
  route jsonb,
  url_after text,
  -- How it came to its end, and what they say about it.
  outcome text,
  note text
);
-- A session has one wheel. This index is what makes it so, whoever asks where and when.
create unique index takeovers_standing on takeovers (session_id) where status <> 'ended';
create index takeovers_of_task on takeovers (task_id) where task_id is not null;
create index takeovers_expiring on takeovers (expires_at) where status in ('requested', 'active');

-- All that waits for a person, longest wait first.
create index tasks_with_people on tasks (paused_at, id) where status in ('awaiting_user', 'takeover');

-- Where a front end says it is in the browser of a session.
create table pointers (
  session_id uuid primary key references sessions on delete cascade,
  route jsonb not null,
  updated_at timestamptz not null,
  -- Its place in the session's log.
  seq bigint not null
) with (fillfactor = 70);
