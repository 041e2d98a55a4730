-- What people were asked to say yes to: one act of one step, as the host described it. Each row is used at most once.
create table approvals (
  id uuid primary key,
  task_id uuid not null references tasks (id) on delete cascade,
  step_index integer not null,
  -- Of everything that the yes is bound to.
  fingerprint text not null,
  class text not null,
  -- What a yes to all acts of the class holds for.
  site text not null,
  facts jsonb not null,
  asked_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  expires_at timestamptz not null,
  answer text check (answer in ('once', 'kind', 'no')),
  answered_by uuid references users (id) on delete set null,
  answered_at timestamptz,
  used_at timestamptz,
  check ((answer is null) = (answered_at is null)),
  check (used_at is null or answer = 'once')
);
create index approvals_of_task on approvals (task_id, asked_at);

-- What the rules said of an attempt, and the approval under which it was begun.
alter table steps add column policy jsonb, add column approval_id uuid;

-- The rules that a user adds for their tasks.
alter table users add column policy jsonb;
