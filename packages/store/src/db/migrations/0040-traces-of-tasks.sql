-- The span that began a task, as the header of W3C has it. Each run is below it: also of another agent, also after a restart.
-- Null where nothing is traced.
alter table tasks add column traceparent text;
