-- Columns that processes of the former release do not write have a default or may be null.
alter table takeovers
  -- The window of the holder's front end that counts input, and how often that changed. The number goes to the host with
  -- each input: it refuses a lower one, so that two windows never count at the same time. 0: no window was ever named.
  add column client_id text,
  add column client_no int not null default 0,
  -- The holder's user name when they asked.
  add column holder_name text,
  -- When input last renewed the lease.
  add column input_at timestamptz,
  -- When the person stopped driving; `ended_at` comes later, when an agent has looked at the page.
  add column returned_at timestamptz;

-- What people write to a task while it is open, numbered from 1 in each task. A planner reads them in this order.
create table task_messages (
  task_id uuid not null references tasks on delete cascade,
  number int not null,
  author_id uuid not null references users,
  text text not null,
  recorded_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (task_id, number)
);

-- step: concurrently
create index concurrently if not exists takeovers_of_session on takeovers (session_id, activated_at)
  where activated_at is not null;
