create type task_status as enum ('pending', 'running', 'awaiting_user', 'takeover', 'success', 'failed', 'cancelled');
create type step_status as enum ('running', 'success', 'failed', 'interrupted');
create type execution_outcome as enum ('success', 'failed', 'cancelled', 'interrupted');
create type observation_kind as enum ('screenshot', 'page', 'extract', 'download');

create table tasks (
  id uuid primary key,
  session_id uuid not null references sessions,
  -- Owns the persisted plan: a task stays visible to whoever asked for it.
  created_by uuid not null references users,
  title text not null,
  prompt text not null,
  plan jsonb not null,
  settings jsonb not null,
  status task_status not null default 'pending',
  -- The agent that may write: each start takes a new one, and every write names it.
  execution_id uuid,
  attempt int not null default 0,
  total_steps int,
  current_step int not null default 0,
  current_step_title text not null default '',
  result jsonb,
  last_error text,
  -- Where its events begin in the session's log, so that reading them need not begin at the session's birth.
  first_seq bigint not null,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  started_at timestamptz,
  finished_at timestamptz,
  updated_at timestamptz not null default date_trunc('milliseconds', now())
);
-- The tasks of a session, oldest first, which is the order they run in.
create index tasks_of_session on tasks (session_id, created_at, id);

-- One attempt at a task by one agent.
create table executions (
  id uuid primary key,
  task_id uuid not null references tasks on delete cascade,
  attempt int not null,
  agent_id uuid not null,
  host_id text,
  started_at timestamptz not null default date_trunc('milliseconds', now()),
  finished_at timestamptz,
  outcome execution_outcome,
  reason text,
  unique (task_id, attempt)
);

-- The ledger: the intent is written before the act, the effect after it; each try has a line of its own.
create table steps (
  task_id uuid not null references tasks on delete cascade,
  index int not null,
  try int not null,
  execution_id uuid not null,
  -- Names the act at the host: asked for twice, it is done once.
  command_id uuid not null,
  epoch bigint not null,
  status step_status not null default 'running',
  intent_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  effect_at timestamptz,
  wait_ms int not null default 0,
  run_ms int not null default 0,
  error text,
  primary key (task_id, index, try)
);

create table observations (
  id uuid primary key,
  task_id uuid not null references tasks on delete cascade,
  step_id text not null,
  -- Its place in the session's log, by which lists are paged.
  seq bigint not null,
  recorded_at timestamptz not null,
  kind observation_kind not null,
  url text,
  title text,
  summary text,
  data jsonb,
  blob_key text,
  content_type text,
  byte_len int,
  width int,
  height int,
  unique (task_id, seq)
);

-- One slot a session: the newest picture, for whoever comes later.
create table frames (
  session_id uuid primary key references sessions on delete cascade,
  frame_id uuid not null,
  task_id uuid,
  seq bigint not null,
  recorded_at timestamptz not null,
  content_type text not null,
  width int not null,
  height int not null,
  device_scale real not null,
  route jsonb not null,
  private boolean not null default false,
  blob_key text not null
) with (fillfactor = 70);

-- Which host holds the session's browser, who may act in it, and what would bring it back.
create table browsers (
  session_id uuid primary key references sessions on delete cascade,
  host_id text,
  boot_id uuid,
  epoch bigint not null default 0,
  state jsonb
) with (fillfactor = 70);

-- Each start of an agent. Whoever is gone without a word is found by the lock it no longer holds.
create table agents (
  id uuid primary key,
  started_at timestamptz not null default now(),
  recovered_by uuid,
  recovered_at timestamptz
);
create index agents_open on agents (started_at) where recovered_at is null;

-- What a restored view shows of the log: the last overlays and the last places.
create index events_view on events (session_id, kind, seq desc) where kind in ('overlay', 'route');
