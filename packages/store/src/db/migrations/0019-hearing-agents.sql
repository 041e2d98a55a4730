-- Which agents hear hosts. A host whose lease is over counts as gone only while an agent has heard hosts without a break for
-- long enough: after an outage of PostgreSQL, NATS or all agents no host could have renewed its lease.
alter table agents
  -- From when the word of this agent counts; null while it does not hear hosts.
  add column hears_from timestamptz,
  -- Until when, unless it beats again.
  add column hears_until timestamptz;
