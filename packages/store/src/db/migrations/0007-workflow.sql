alter table tasks
  -- Two clocks: since when a person has the task, and how long people had it before. Neither counts as its time.
  add column paused_at timestamptz,
  add column paused_ms bigint not null default 0,
  -- When somebody last looked whether the page shows what ends the wait for a person.
  add column looked_at timestamptz;
update tasks set paused_at = updated_at where status in ('awaiting_user', 'takeover');

-- The few that wait for a person, among all that ever were.
create index tasks_awaiting on tasks (paused_at) where status = 'awaiting_user';

alter table steps
  -- Of a try that came to nothing: whether the page may have been touched all the same.
  add column may_have_acted boolean not null default false;

alter table browsers
  -- What the browser at the host may reach, as it was opened. A task that may reach something else has it opened anew.
  add column reach jsonb;
