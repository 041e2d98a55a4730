-- What agents look at all the time is found among live rows only, whatever is stored.

alter table hosts
  -- The host's last heartbeat and the rows differ: it holds a browser that the rows do not give it, or has not heard of a
  -- driver. True until a heartbeat says otherwise.
  add column disagrees boolean not null default true,
  -- Since when it holds a browser that no viewer watches and that nobody used; null if there is none.
  add column unused_since timestamptz default '-infinity';

-- Whose the session is, since the browser was last given to a host. The queue for browsers counts by it.
alter table browsers add column owner_id uuid;
create function browsers_follow_session() returns trigger
language plpgsql as $$
begin
  update browsers set owner_id = new.owner_id where session_id = new.id and owner_id is not null;
  return null;
end
$$;
create trigger sessions_change_hands_with_browsers after update of owner_id on sessions
for each row when (old.owner_id <> new.owner_id) execute function browsers_follow_session();

-- Which sessions an agent's timer job has taken for a moment, so that the agents share the work. Nothing here is worth
-- keeping over a crash.
create unlogged table job_claims (
  job text not null,
  session_id uuid not null,
  until timestamptz not null,
  primary key (job, session_id)
);

-- step: concurrently
create index concurrently if not exists sessions_recorded on sessions (id) where recording and browser <> 'cold';
create index concurrently if not exists tasks_with_people_of_owner on tasks (owner_id, paused_at, id)
  where status in ('awaiting_user', 'takeover');
create index concurrently if not exists tasks_with_people_of_creator on tasks (created_by, paused_at, id)
  where status in ('awaiting_user', 'takeover') and created_by <> owner_id;
create index concurrently if not exists executions_open_of_agent on executions (agent_id) where finished_at is null;
