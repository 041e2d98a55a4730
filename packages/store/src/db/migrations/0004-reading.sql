-- step: transaction, timeout 6 h
create type log_level as enum ('debug', 'info', 'warn', 'error');

-- Who owns the task's session, in the task's own row: who may see a task is answered without another table, and a list
-- of all of them is read from one index.
alter table tasks add column owner_id uuid;
update tasks set owner_id = sessions.owner_id from sessions where sessions.id = tasks.session_id;
alter table tasks alter column owner_id set not null;

create function tasks_follow_session() returns trigger
language plpgsql as $$
begin
  update tasks set owner_id = new.owner_id where session_id = new.id;
  return null;
end
$$;
create trigger sessions_change_hands after update of owner_id on sessions
for each row when (old.owner_id <> new.owner_id) execute function tasks_follow_session();

-- A list names the states it wants and merges a short scan of each, so that a rare state is found without passing all
-- the others. The second holds only tasks in somebody else's session; nearly always it is empty.
create index tasks_of_owner on tasks (owner_id, status, created_at desc, id desc);
create index tasks_of_creator on tasks (created_by, status, created_at desc, id desc) where created_by <> owner_id;
create index tasks_of_all on tasks (status, created_at desc, id desc);
-- Each step updates its task in place, if there is room on the page.
alter table tasks set (fillfactor = 80);

create index sessions_of_owner_by_status on sessions (owner_id, status, updated_at desc, id desc);

-- What an agent said while it worked.
create table logs (
  task_id uuid not null references tasks on delete cascade,
  -- Its place in the session's log, as with observations.
  seq bigint not null,
  recorded_at timestamptz not null,
  level log_level not null,
  message text not null,
  step_id text,
  data jsonb,
  primary key (task_id, seq)
);

-- What a task brought home, and what it was given to send.
create table files (
  id uuid primary key,
  task_id uuid not null references tasks on delete cascade,
  name text not null,
  content_type text not null,
  byte_len bigint not null,
  blob_key text not null,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);
create index files_of_task on files (task_id, created_at, id);

-- An observation of a download points to its file.
alter table observations add column file_id uuid;
-- The newest pictures of a task, however much it saw that is none.
create index observations_pictures on observations (task_id, seq desc)
  where content_type in ('image/jpeg', 'image/png') and file_id is null;
