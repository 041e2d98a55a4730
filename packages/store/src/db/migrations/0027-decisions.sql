-- Tasks whose steps a model decides. Columns that processes of the former release do not write have a default.
alter table agents
  -- The models that this agent may ask, its default first. Empty: none.
  add column models text[] not null default '{}';

alter table tasks
  -- What the model calls of the task used, as far as the vendors said. Counted in the transaction that ends a call.
  add column model_calls int not null default 0,
  add column input_tokens bigint not null default 0,
  add column cached_tokens bigint not null default 0,
  add column output_tokens bigint not null default 0,
  add column cost_micros bigint not null default 0;

-- One call of a model. The row is written before the call, so that none is unknown.
create table model_calls (
  task_id uuid not null references tasks on delete cascade,
  number int not null,
  execution_id uuid not null,
  purpose text not null,
  model text not null,
  -- `lost`: its agent was lost before the answer was stored. `aborted`: a person or another agent took the task.
  status text not null default 'begun' check (status in ('begun', 'ok', 'failed', 'lost', 'aborted')),
  begun_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  ended_at timestamptz,
  -- The estimate before the call, by which the budget of the task is kept where the vendor said nothing.
  estimated_tokens int not null,
  input_tokens int not null default 0,
  cached_tokens int not null default 0,
  cache_written_tokens int not null default 0,
  output_tokens int not null default 0,
  reasoning_tokens int not null default 0,
  cost_micros bigint not null default 0,
  -- Of a failed call: its kind, a sentence, and when the vendor wants to be asked again.
  failure text,
  error text,
  retry_at timestamptz,
  primary key (task_id, number)
);

-- What a model decided, in one transaction with the steps that it appended to the plan of the task. A step of it runs only
-- while it is open.
create table decisions (
  task_id uuid not null references tasks on delete cascade,
  number int not null,
  call_number int not null,
  -- Its steps in the plan of the task; none where first_step is greater than last_step.
  first_step int not null,
  last_step int not null,
  goal text,
  evaluation text,
  thinking text,
  -- The tool calls as they were made, with the step of each or the reason why it has none. Versioned: a later release reads it.
  actions jsonb not null,
  url text,
  -- The number of the last message of a person that the model had read.
  read_messages int not null,
  -- What the page looked like, to tell that nothing changes, and the text of it that the model read.
  view_hash text,
  view text,
  status text not null default 'open' check (status in ('open', 'done', 'cut')),
  cut_reason text,
  decided_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (task_id, number)
);
