alter table tasks
  -- What the agent wants to know while it waits for a person, in the words of the interface.
  add column question jsonb,
  -- Every question that was asked and what was said to it, oldest first: an agent that takes the task up finds them.
  add column answers jsonb not null default '[]',
  -- The task that this one repeats. No reference: it may be forgotten before this one.
  add column rerun_of uuid;

-- What a quota counts, however much has ended before.
create index tasks_open_of_creator on tasks (created_by) where finished_at is null;
create index sessions_open_of_owner on sessions (owner_id) where status <> 'closed';

-- What a user asked for under a key of their own: asked again, it is the same task. Of the request only a hash.
create table idempotency_keys (
  user_id uuid not null references users,
  key text not null,
  request_hash bytea not null,
  task_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Saved browser states by label. They hold cookies, so they are sealed; the key's name says which key opens them.
create table profiles (
  id uuid primary key,
  owner_id uuid not null references users,
  label text not null,
  -- Nothing, before the first session that holds the profile has saved.
  sealed_state bytea,
  key_id text,
  -- The one session whose saves are written back, and until when it keeps that right without saving. No reference, as
  -- in sessions.profile_id: removing a profile would then have to wait for sessions that wait for the profile.
  held_by uuid,
  held_until timestamptz,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz not null default date_trunc('milliseconds', now()),
  unique (owner_id, label)
);
create index profiles_of_owner on profiles (owner_id, created_at desc, id desc);
create index profiles_held on profiles (held_by) where held_by is not null;

-- What a process with a key saves. `state` holds what was saved without one.
alter table browsers
  add column sealed_state bytea,
  add column key_id text;
