-- What a program does over the DevTools protocol stands in a task that no agent runs: this is the connection whose acts it tells.
-- Such a task never drives: statements that ask whether an agent has work in a session leave it out.
alter table tasks add column program_id uuid;

-- A connection has one open task at most.
create unique index tasks_open_of_program on tasks (program_id) where program_id is not null and finished_at is null;
