// What open tasks wait for and since when, as SQL: for the figures of the installation and for the list of administrators.

/** The columns of `tasks` that it reads. */
export const causeColumns = `id, session_id, status, question->>'kind' as kind, created_at, paused_at, updated_at, program_id,
    run_agent_id, run_due_at, model_calls`;

/**
 * The rows of `from`, with their cause; null for those that are worked on, and for those that are over. No agent
 * works on the task of a program. A task may have many calls of models: only its last one is read, by its key.
 */
export const withCause = (from: string) => `
  select open.*, w.since as browser_since, call.begun_at as call_since,
    case when open.program_id is not null then null
      when open.status not in ('pending', 'running', 'awaiting_user', 'takeover') then null
      when open.status = 'takeover' then 'takeover'
      when open.status = 'awaiting_user' then case when open.kind in ('approval', 'plan') then open.kind else 'question' end
      when w.since is not null then 'browser'
      when call.begun_at is not null then 'model'
      when open.run_agent_id is not null then null
      when open.run_due_at <= now() then 'agent'
      when open.status = 'pending' then 'session'
      else 'clock' end as cause
  from ${from} as open left join browser_waits w on w.session_id = open.session_id and w.for_task and open.status = 'running'
  left join lateral (
    select c.begun_at from model_calls c
    where open.model_calls > 0 and open.status = 'running' and c.task_id = open.id and c.number = open.model_calls
      and (c.status = 'begun' or c.retry_at > now()) limit 1
  ) as call on true`;

/** Since when a row of `withCause` waits for its cause. */
export const waitingSince = `case cause when 'browser' then browser_since when 'model' then call_since
  when 'agent' then run_due_at when 'session' then created_at when 'clock' then updated_at else paused_at end`;
