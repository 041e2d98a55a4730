-- step: transaction, timeout 6 h
-- Whether what is seen in the session is kept, while a task works in it.
alter table sessions add column recording boolean not null default false;

-- usual: removed when its time comes. last: its time came, but its session is restored from it. leaving: shown to nobody
-- any more; its row goes when its blob has gone.
create type frame_retention as enum ('usual', 'last', 'leaving');

-- Every picture that is kept of a session: of each step, and of what is between them in one that is recorded.
create table recorded_frames (
  session_id uuid not null references sessions on delete cascade,
  -- The last event before it, which is its place on the time axis of the session.
  seq bigint not null,
  -- Frames are kept under the lock of their session, so within it this rises in the order in which they can be seen.
  id bigint generated always as identity,
  frame_id uuid not null unique,
  -- Whose the session is, so that the oldest frames of a user are found without another table.
  owner_id uuid not null,
  task_id uuid,
  step_id text,
  recorded_at timestamptz not null,
  content_type text not null,
  width int not null,
  height int not null,
  route jsonb not null,
  private boolean not null default false,
  -- Nothing, where the picture was private and nobody asked for it as evidence.
  blob_key text,
  byte_len int not null,
  retention frame_retention not null default 'usual',
  primary key (session_id, seq, id)
);
-- What is to go next, of all and of one user, however much is kept for good.
create index recorded_frames_by_age on recorded_frames (recorded_at) where retention = 'usual';
create index recorded_frames_of_owner on recorded_frames (owner_id, recorded_at, id) where retention = 'usual';
create index recorded_frames_last on recorded_frames (session_id) where retention = 'last';
create index recorded_frames_leaving on recorded_frames (frame_id) where retention = 'leaving';

create function recorded_frames_follow_session() returns trigger
language plpgsql as $$
begin
  update recorded_frames set owner_id = new.owner_id where session_id = new.id;
  return null;
end
$$;
create trigger sessions_change_hands_with_frames after update of owner_id on sessions
for each row when (old.owner_id <> new.owner_id) execute function recorded_frames_follow_session();

-- What the frames of the session take, so that nobody has to add them up.
alter table session_seq add column frame_bytes bigint not null default 0;

-- The pictures of steps that were done before there were recordings. Where they were taken is known of the last only.
insert into recorded_frames (session_id, seq, frame_id, owner_id, task_id, step_id, recorded_at, content_type,
  width, height, route, private, blob_key, byte_len)
select t.session_id, o.seq, o.id, t.owner_id, t.id, o.step_id, o.recorded_at, o.content_type,
  coalesce(o.width, s.viewport_width), coalesce(o.height, s.viewport_height),
  coalesce(f.route, jsonb_build_object('session', s.id, 'page', null, 'frame', null, 'url', o.url, 'title', o.title)),
  coalesce(f.private, false), o.blob_key, coalesce(o.byte_len, 0)
from observations o join tasks t on t.id = o.task_id join sessions s on s.id = t.session_id
  left join frames f on f.frame_id = o.id
where o.content_type in ('image/jpeg', 'image/png') and o.file_id is null and o.blob_key is not null
order by o.recorded_at, o.seq;
update session_seq q set frame_bytes = kept.bytes
from (select session_id, sum(byte_len) as bytes from recorded_frames group by session_id) as kept
where kept.session_id = q.session_id;

-- Which agent keeps what is seen in a session, and until when it may without saying so again. Nothing here is worth
-- keeping over a crash.
create unlogged table recorders (
  session_id uuid primary key,
  agent_id uuid not null,
  until timestamptz not null
);
