-- Who pays for a call of a model: the user who started its task. Null only in calls that agents of the former release begin.
alter table model_calls add column user_id uuid;
update model_calls c set user_id = t.created_by from tasks t where t.id = c.task_id;
-- What a user has used today is one range of it, however long the history is. Neither column changes when a call ends.
create index model_calls_of_user on model_calls (user_id, begun_at);
