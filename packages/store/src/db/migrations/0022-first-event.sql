-- The number of the first event that a session still has: a purge removes those before it. Servers that keep recent events
-- in memory read it together with the last number.
alter table session_seq add column first_seq bigint not null default 1;
