-- step: transaction, timeout 6 h
-- kept: its bytes are there. leaving: shown to nobody any more; its bytes may still be there, and count. gone: its bytes
-- are not there; its row says that there was such a file.
create type file_retention as enum ('kept', 'leaving', 'gone');

-- What a file counts: at least what the smallest file takes on a disk, so that many empty ones are not free.
create function counted_file_bytes(byte_len bigint) returns bigint
language sql immutable parallel safe as $$ select greatest(byte_len, 4096) $$;

alter table files
  -- Who asked for the task, and whose quota it counts against.
  add column user_id uuid references users,
  add column retention file_retention not null default 'kept';
update files set user_id = tasks.created_by from tasks where tasks.id = files.task_id;
alter table files alter column user_id set not null;

create index files_by_age on files (created_at) where retention = 'kept';
create index files_leaving on files (id) where retention = 'leaving';

-- What the files of the user take, so that nobody has to add them up.
alter table users add column file_bytes bigint not null default 0;
update users set file_bytes = counted.bytes
from (select user_id, sum(counted_file_bytes(byte_len)) as bytes from files group by user_id) as counted
where counted.user_id = users.id;

-- Counted by the table itself, so that a process of a former release, which knows nothing of it, is counted too.
create function files_name_their_user() returns trigger
language plpgsql as $$
begin
  if new.user_id is null then
    select created_by into new.user_id from tasks where id = new.task_id;
  end if;
  return new;
end
$$;
create trigger files_have_a_user before insert on files
for each row execute function files_name_their_user();

create function files_count_bytes() returns trigger
language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.retention <> 'gone' then
    update users set file_bytes = file_bytes - counted_file_bytes(old.byte_len) where id = old.user_id;
  end if;
  if tg_op <> 'DELETE' and new.retention <> 'gone' then
    update users set file_bytes = file_bytes + counted_file_bytes(new.byte_len) where id = new.user_id;
  end if;
  return null;
end
$$;
create trigger files_are_counted after insert or delete on files
for each row execute function files_count_bytes();
create trigger files_are_counted_until_gone after update of retention on files
for each row when ((old.retention = 'gone') <> (new.retention = 'gone')) execute function files_count_bytes();

-- How many reports of each kind a host made of a session in the present minute. Nothing here is worth keeping over a crash.
create unlogged table report_windows (
  session_id uuid not null,
  type text not null,
  since timestamptz not null,
  count int not null,
  primary key (session_id, type)
);
