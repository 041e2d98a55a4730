alter table agents
  -- When it last said that it works: one that is stopped keeps its lock and says nothing. Nothing, for those of a
  -- release that did not say it; of them only the lock speaks.
  add column seen_at timestamptz;

alter table tasks
  -- How many agents have taken it since its last finished step.
  add column fruitless integer not null default 0;

-- The few that are not over, among all that ever were. By their id, which never changes: a step moves nothing here.
create index tasks_open on tasks (id) where status in ('pending', 'running', 'awaiting_user', 'takeover');

alter table browsers
  -- The epoch under which it was opened where it is: what was tried under an older one was tried in another browser.
  add column opened_epoch bigint not null default 0;
update browsers set opened_epoch = epoch;
