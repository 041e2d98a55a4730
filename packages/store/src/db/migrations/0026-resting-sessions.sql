-- Sessions that rest and have a browser: an agent that looks for a spare browser reads these, and not every live session.

-- step: concurrently
create index concurrently if not exists sessions_resting on sessions (id)
  where browser <> 'cold' and status in ('idle', 'closed');
