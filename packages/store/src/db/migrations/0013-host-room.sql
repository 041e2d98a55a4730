-- How many sessions the operator lets a host hold. A host without a line gets the default of the agents.
create table host_limits (
  host_id text primary key,
  max_sessions int not null check (max_sessions between 0 and 10000),
  set_at timestamptz not null default now()
);

alter table hosts
  -- What the host says of itself; `capacity` is what counts of it.
  add column claimed_capacity int,
  -- How often in a row it said that it is full although it had room, and until when nobody asks it therefore.
  add column full_answers int not null default 0,
  add column shunned_until timestamptz,
  -- When a browser was last lost at it while it lived.
  add column lost_browser_at timestamptz;

-- The few browsers that a host holds, among all that ever were.
create index browsers_held_by_host on browsers (host_id) where host_id is not null;
