alter table hosts
  -- The sessions it holds as it last said: an array of {session_id, epoch, is_watched, idle_ms}.
  add column sessions jsonb not null default '[]',
  -- Of the whole machine, from 0 to 1; null from a host that does not say.
  add column load_cpu real,
  add column load_memory real;

-- The few sessions that have a browser, among all that ever were.
create index sessions_with_browser on sessions (id) where browser <> 'cold';
