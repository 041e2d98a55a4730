-- Where the log of the session stood when it was shared: who watches by the share is shown nothing of before.
alter table shares add column from_seq bigint not null default 0;
-- Of those that exist it is not known; they begin now.
update shares h set from_seq = q.last_seq from session_seq q where q.session_id = h.session_id;
