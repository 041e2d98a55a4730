-- step: transaction, timeout 6 h
-- Tasks are their own queue. A run is the work of one agent at one task, from its turn until the task waits or ends.
alter table tasks
  -- The number of its last run.
  add column run int not null default 0,
  -- From when an agent may begin the next run. Null while there is nothing to do: a person has the task, or another task
  -- of its session comes first.
  add column run_due_at timestamptz,
  -- The agent at work on it.
  add column run_agent_id uuid,
  -- The last run ended by itself and left nothing under way: the next one continues its execution.
  add column is_rested boolean not null default false;
create index tasks_due on tasks (run_due_at) where run_due_at is not null;
create index tasks_at_work on tasks (run_agent_id) where run_agent_id is not null;
-- The line of a session: its open tasks, oldest first.
create index tasks_open_of_session on tasks (session_id, first_seq, id)
  where status in ('pending', 'running', 'awaiting_user', 'takeover');

-- Tasks that an earlier release left open go on: those at work, and the first in line of each session.
update tasks set run_due_at = clock_timestamp()
where status = 'running' or status = 'pending' and not exists (
  select from tasks before where before.session_id = tasks.session_id
    and (before.first_seq, before.id) < (tasks.first_seq, tasks.id) and before.status in ('pending', 'running', 'awaiting_user', 'takeover'));

-- The engine of earlier releases. Their agents must be stopped by now.
drop schema if exists dbos cascade;

-- A task that waits for a browser is not at work anywhere: its wait has to outlive a crash of the database.
alter table browser_waits set logged;
alter table browser_waits
  -- A task waits, and its row says so until it has a browser or ends. Without it a person waits, whose server renews it.
  add column for_task boolean not null default false;
