-- The plan in words of a task whose first decision a person wants to agree to. Processes of the former release write neither.
alter table tasks
  -- What the model proposed last, or what a person made of it.
  add column plan_items jsonb,
  -- When a person agreed to it: the model decides nothing before that.
  add column plan_agreed_at timestamptz;
