-- What models used for a user without a task: plans of chats that begin nothing. Rows of earlier days are removed with the next.
create table model_uses (
  id bigint generated always as identity primary key,
  user_id uuid not null references users (id) on delete cascade,
  used_at timestamptz not null default clock_timestamp(),
  tokens bigint not null,
  cost_micros bigint not null
);
create index model_uses_of_user on model_uses (user_id, used_at);
