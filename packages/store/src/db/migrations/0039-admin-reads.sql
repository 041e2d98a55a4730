-- step: concurrently
-- The audit for administrators: all of it by time, and by event, by whom it was done to and by who did it.
create index concurrently if not exists audit_by_time on audit (recorded_at, id);
create index concurrently if not exists audit_of_event on audit (event, recorded_at, id);
create index concurrently if not exists audit_of_user_by_time on audit (user_id, recorded_at, id);
create index concurrently if not exists audit_of_user_event on audit (user_id, event, recorded_at, id);
create index concurrently if not exists audit_of_actor on audit (actor_id, recorded_at, id) where actor_id is not null;
create index concurrently if not exists audit_of_actor_event on audit (actor_id, event, recorded_at, id)
  where actor_id is not null;
drop index concurrently if exists audit_of_user;
