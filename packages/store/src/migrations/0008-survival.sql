alter table agents
  -- When it last said that it works: one that is stopped keeps its lock and says nothing. Nothing, for those of a
  -- release that did not say it; of them only the lock speaks.
  add column seen_at timestamptz;

alter table tasks
  -- How many agents have taken it since its last finished step.
  add column fruitless integer not null default 0;

alter table browsers
  -- The epoch under which it was opened where it is: what was tried under an older one was tried in another browser.
  add column opened_epoch bigint not null default 0;
update browsers set opened_epoch = epoch;
