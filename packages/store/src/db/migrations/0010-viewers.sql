-- How many watch a session at each server, as the servers said it last. Nothing here is worth keeping over a crash.
create unlogged table viewers (
  session_id uuid not null,
  server_id uuid not null,
  count integer not null,
  -- A server that died does not say that nobody watches there any more.
  until timestamptz not null,
  primary key (session_id, server_id)
);
