-- step: transaction, timeout 6 h
-- Tasks were called after their prompt, and so were the sessions that a chat made. Where the prompt is a script, it holds
-- what is typed, passwords too. Those that have steps are now called after what their first steps do, as new ones are.

create function pg_temp.name_of(target jsonb) returns text
language sql as $$
  select case jsonb_typeof(target)
    when 'string' then ' "' || (target #>> '{}') || '"'
    when 'object' then ' "' || (select string_agg(value, ' ') from jsonb_each_text(target)) || '"'
    else ''
  end
$$;

create function pg_temp.title_of(step jsonb) returns text
language sql as $$
  select case
    when coalesce(step ->> 'title', '') <> '' then
      case when coalesce(step ->> 'text', '') = '' then step ->> 'title'
        else replace(step ->> 'title', step ->> 'text', '••••••') end
    when step ->> 'action' = 'navigate' then
      'Open ' || coalesce(substring(step ->> 'url' from '^[A-Za-z]+://(?:[^/?#]*@)?([^/?#]+)'),
                          split_part(step ->> 'url', ':', 1) || ':')
    when step ->> 'action' = 'type' then 'Type into' || pg_temp.name_of(step -> 'target')
    when step ->> 'action' = 'press' then
      'Press ' || case when step ->> 'key' ~ '^(Shift\+)?.$' then 'a key' else step ->> 'key' end
    when step ->> 'action' = 'wait' then 'Wait'
    else upper(left(step ->> 'action', 1)) || replace(substr(step ->> 'action', 2), '_', ' ')
      || pg_temp.name_of(step -> 'target')
  end
$$;

create temporary table retitled on commit drop as
select id, session_id, former, case when length(title) > 80 then left(title, 79) || '…' else title end as title
from (
  select t.id, t.session_id, t.title as former,
    (select string_agg(pg_temp.title_of(s.step), ', ' order by s.index)
     from jsonb_array_elements(t.plan -> 'steps') with ordinality as s (step, index)) as title
  from tasks t
) found
where title is not null;

-- One that somebody has named keeps its name.
update sessions s set title = r.title from retitled r where r.session_id = s.id and r.former = s.title;

update tasks t
set title = r.title,
  result = case when t.result ->> 'summary' = 'Done: ' || r.former
    then jsonb_set(t.result, '{summary}', to_jsonb('Done: ' || r.title)) else t.result end
from retitled r where r.id = t.id;
