-- Who waits for a browser, over all agents. Nothing here is worth keeping over a crash: whoever still waits says so again.
create unlogged table browser_waits (
  session_id uuid primary key,
  -- Whose the session is.
  user_id uuid not null,
  -- A person wants to drive, and looks at nothing meanwhile.
  is_person boolean not null,
  since timestamptz not null,
  -- Since when the user waits, or has last been given a browser while others of theirs waited.
  user_since timestamptz not null,
  -- An agent that died does not say that nobody waits there any more.
  until timestamptz not null
);

alter table tasks
  -- Until when its step waits for the clock alone, and needs no browser.
  add column asleep_until timestamptz;
-- The few that do, among all that ever were.
create index tasks_asleep on tasks (session_id) where asleep_until is not null and status = 'running';
