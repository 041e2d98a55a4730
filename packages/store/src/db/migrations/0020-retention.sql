-- step: transaction, timeout 6 h
-- What the pictures and saved browser states of each user take. Pictures count here while they may be removed: the last one
-- of a session that is open does not. Changes are added to a table of their own and summed up later, so that sessions of
-- one user do not wait for each other.
create table stored_bytes (
  user_id uuid primary key,
  pictures bigint not null default 0,
  states bigint not null default 0
) with (fillfactor = 70);
-- The users who store most.
create index stored_bytes_by_pictures on stored_bytes (pictures);

create table stored_bytes_changes (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  pictures bigint not null default 0,
  states bigint not null default 0
);
create index stored_bytes_changes_of_user on stored_bytes_changes (user_id);

-- The last picture of a closed session goes as every other: only open sessions, which are few, are restored from theirs.
update recorded_frames f set retention = 'usual' from sessions s
where f.retention = 'last' and s.id = f.session_id and s.status = 'closed';

create function recorded_frames_count_bytes() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into stored_bytes_changes (user_id, pictures)
    select owner_id, sum(byte_len) from added where retention = 'usual' group by owner_id having sum(byte_len) <> 0;
  elsif tg_op = 'DELETE' then
    insert into stored_bytes_changes (user_id, pictures)
    select owner_id, -sum(byte_len) from removed where retention = 'usual' group by owner_id having sum(byte_len) <> 0;
  else
    insert into stored_bytes_changes (user_id, pictures)
    select owner_id, sum(bytes) from (
      select owner_id, byte_len as bytes from added where retention = 'usual'
      union all select owner_id, -byte_len from removed where retention = 'usual'
    ) as changed group by owner_id having sum(bytes) <> 0;
  end if;
  return null;
end
$$;
create trigger recorded_frames_are_counted after insert on recorded_frames
referencing new table as added for each statement execute function recorded_frames_count_bytes();
create trigger recorded_frames_are_counted_no_more after delete on recorded_frames
referencing old table as removed for each statement execute function recorded_frames_count_bytes();
create trigger recorded_frames_are_counted_again after update on recorded_frames
referencing old table as removed new table as added for each statement execute function recorded_frames_count_bytes();

-- What a saved state takes, written by the table itself: a toasted value cannot be measured the same way before and after.
alter table browsers add column state_bytes int not null default 0;
alter table profiles add column state_bytes int not null default 0;
update browsers set state_bytes = coalesce(octet_length(sealed_state), 0) + coalesce(octet_length(state::text), 0)
where sealed_state is not null or state is not null;
update profiles set state_bytes = octet_length(sealed_state) where sealed_state is not null;

create function browsers_measure_state() returns trigger
language plpgsql as $$
begin
  new.state_bytes := coalesce(octet_length(new.sealed_state), 0) + coalesce(octet_length(new.state::text), 0);
  return new;
end
$$;
create trigger browsers_have_a_size before insert or update of state, sealed_state on browsers
for each row execute function browsers_measure_state();

create function profiles_measure_state() returns trigger
language plpgsql as $$
begin
  new.state_bytes := coalesce(octet_length(new.sealed_state), 0);
  return new;
end
$$;
create trigger profiles_have_a_size before insert or update of sealed_state on profiles
for each row execute function profiles_measure_state();

create function browsers_count_bytes() returns trigger
language plpgsql as $$
declare
  added int := case when tg_op = 'DELETE' then 0 else new.state_bytes end;
  removed int := case when tg_op = 'INSERT' then 0 else old.state_bytes end;
  session uuid := case when tg_op = 'DELETE' then old.session_id else new.session_id end;
begin
  if added <> removed then
    insert into stored_bytes_changes (user_id, states) select owner_id, added - removed from sessions where id = session;
  end if;
  return null;
end
$$;
create trigger browsers_are_counted after insert or delete on browsers
for each row execute function browsers_count_bytes();
create trigger browsers_are_counted_again after update on browsers
for each row when (old.state_bytes <> new.state_bytes) execute function browsers_count_bytes();

create function profiles_count_bytes() returns trigger
language plpgsql as $$
declare
  added int := case when tg_op = 'DELETE' then 0 else new.state_bytes end;
  removed int := case when tg_op = 'INSERT' then 0 else old.state_bytes end;
begin
  if added <> removed then
    insert into stored_bytes_changes (user_id, states)
    values (case when tg_op = 'DELETE' then old.owner_id else new.owner_id end, added - removed);
  end if;
  return null;
end
$$;
create trigger profiles_are_counted after insert or delete on profiles
for each row execute function profiles_count_bytes();
create trigger profiles_are_counted_again after update on profiles
for each row when (old.state_bytes <> new.state_bytes) execute function profiles_count_bytes();

create function states_follow_session() returns trigger
language plpgsql as $$
begin
  insert into stored_bytes_changes (user_id, states)
  select side.user_id, side.sign * b.state_bytes
  from browsers b cross join (values (old.owner_id, -1), (new.owner_id, 1)) as side (user_id, sign)
  where b.session_id = new.id and b.state_bytes <> 0;
  return null;
end
$$;
create trigger sessions_change_hands_with_states after update of owner_id on sessions
for each row when (old.owner_id <> new.owner_id) execute function states_follow_session();

insert into stored_bytes (user_id, pictures, states)
select user_id, sum(pictures), sum(states) from (
  select owner_id as user_id, sum(byte_len) as pictures, 0::bigint as states
  from recorded_frames where retention = 'usual' group by owner_id
  union all
  select s.owner_id, 0, sum(b.state_bytes) from browsers b join sessions s on s.id = b.session_id
  where b.state_bytes <> 0 group by s.owner_id
  union all
  select owner_id, 0, sum(state_bytes) from profiles where state_bytes <> 0 group by owner_id
) as held group by user_id;

-- session_seq.frame_bytes is no longer read: agents of the former release still write it.

-- Files that wait for their bytes to be removed are taken user by user; those that are gone leave a row for a while.
create index files_leaving_of_user on files (user_id) where retention = 'leaving';
create index files_gone on files (created_at) where retention = 'gone';

-- The parts of the work that keeps tables small: when each is due, and when it last succeeded. An agent claims a part by
-- moving the time at which it is due.
create table maintenance (
  part text primary key,
  due_at timestamptz not null,
  succeeded_at timestamptz,
  -- How far a part has come that walks through a table.
  position jsonb
);

-- By age, for what is removed by age.
create index tasks_by_end on tasks (finished_at, id) where finished_at is not null;
create index logins_by_end on logins (least(ended_at, expires_at));
create index access_tokens_by_age on access_tokens (expires_at);
create index rate_limits_by_age on rate_limits (expire);
create index shares_by_age on shares (expires_at);
create index takeovers_by_end on takeovers (ended_at) where status = 'ended';
create index executions_open_of_agent on executions (agent_id) where finished_at is null;

-- The first id that can have been made at this time or later: a UUIDv7 begins with its time.
create function first_uuid_at(moment timestamptz) returns uuid
language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;
