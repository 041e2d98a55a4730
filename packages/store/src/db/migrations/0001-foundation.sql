-- The words are the contract's; a test holds the two lists together.
create type user_role as enum ('user', 'admin');
create type session_status as enum ('idle', 'active', 'takeover', 'closed');
create type browser_state as enum ('cold', 'starting', 'live');

create table users (
  id uuid primary key,
  username text not null,
  email text not null,
  role user_role not null default 'user',
  created_at timestamptz not null default now()
);
-- Names are unique without regard to case, and are looked up that way.
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));

create table sessions (
  id uuid primary key,
  owner_id uuid not null references users,
  status session_status not null default 'idle',
  browser browser_state not null default 'cold',
  title text,
  profile_id uuid,
  profile_label text,
  viewport_width int not null,
  viewport_height int not null,
  last_task_id uuid,
  -- Whole milliseconds, as the interface shows them, so that a page's cursor compares exactly.
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  -- Moves with status, not with every event: it stands in two indexes.
  updated_at timestamptz not null default date_trunc('milliseconds', now())
);
-- A user's list, newest activity first; and everybody's, for an admin or with authentication switched off.
create index sessions_of_owner on sessions (owner_id, updated_at desc, id desc);
create index sessions_of_all on sessions (updated_at desc, id desc);

-- The counter of each session's log, apart and half empty, so that every append is an update in place.
create table session_seq (
  session_id uuid primary key references sessions on delete cascade,
  last_seq bigint not null default 0,
  last_event_at timestamptz
) with (fillfactor = 50);

-- One log per session. A UUIDv7 begins with its time of birth, so a range of session ids is a range of days, and the
-- primary key stays unique over all partitions, which a partition by recorded_at could not promise.
create table events (
  session_id uuid not null,
  seq bigint not null,
  task_id uuid,
  kind text not null,
  data jsonb not null,
  dedup_key text,
  recorded_at timestamptz not null,
  primary key (session_id, seq)
) partition by range (session_id);
-- A step that runs again after a crash finds what it said the first time.
create unique index events_dedup on events (session_id, dedup_key) where dedup_key is not null;
-- Catches ids whose day has no partition yet (a clock that runs ahead); ensure_event_partitions moves them out.
create table events_default partition of events default;

create function first_uuid_of(day date) returns uuid
language sql immutable parallel safe as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- Makes the partitions of these days where they are missing; safe to run at any time, from anywhere.
create function ensure_event_partitions(first_day date, last_day date) returns int
language plpgsql as $$
declare
  day date;
  name text;
  made int := 0;
begin
  -- Better to try again later than to make every writer wait behind a long reader.
  perform set_config('lock_timeout', '2s', true);
  perform pg_advisory_xact_lock(hashtext('ensure_event_partitions'));
  for day in select generate_series(first_day, last_day, interval '1 day')::date loop
    name := 'events_' || to_char(day, 'YYYYMMDD');
    continue when to_regclass(name) is not null;
    -- Whoever would write into the default partition now waits, so that nothing slips in behind the move.
    lock table events_default in access exclusive mode;
    execute format('create table %I (like events including all)', name);
    execute format(
      'with moved as (delete from events_default where session_id >= %L and session_id < %L returning *)
       insert into %I select * from moved', first_uuid_of(day), first_uuid_of(day + 1), name);
    execute format('alter table events attach partition %I for values from (%L) to (%L)',
      name, first_uuid_of(day), first_uuid_of(day + 1));
    made := made + 1;
  end loop;
  return made;
end
$$;

-- Who offers browsers right now. Hands have no database: agents write this in reply to their heartbeats.
create table hosts (
  id text primary key,
  boot_id uuid not null,
  capacity int not null,
  session_count int not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  lease_until timestamptz not null
);
