-- Browser hosts that have no user in the configuration of the bus: each made a key of its own, and is called by it.
create table host_joins (
  host_id text primary key,
  public_key text not null,
  -- Where it came from.
  address text not null,
  joined_at timestamptz not null default now(),
  -- From then on it is not let in again under this id. Until then it counts, whether it is there or not.
  ended_at timestamptz,
  ended_by text check (ended_by in ('operator', 'replaced')),
  check ((ended_at is null) = (ended_by is null))
);
create index host_joins_by_address on host_joins (address) where ended_at is null;

-- Connections that were let in, as the bus numbers them: with these they are ended.
create table host_join_connections (
  server text not null,
  number bigint not null,
  host_id text not null references host_joins (host_id) on delete cascade,
  opened_at timestamptz not null default now(),
  primary key (server, number)
);
create index host_join_connections_by_host on host_join_connections (host_id, opened_at);
