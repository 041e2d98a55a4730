import type pg from 'pg';

/**
 * Has the database note, at every commit, each row about a task that an agent wrote while another agent had the task.
 * It looks at the end of the transaction, when the agent that takes a task has said so. What only moves the task in its queue is no
 * work: any agent may take it, or make the task of a dead one due.
 */
export async function watchStaleWrites(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create table chaos_stale_writes (at timestamptz default clock_timestamp(), writer text, holder text, relation text, task_id uuid);
    create function chaos_note_stale() returns trigger language plpgsql as $$
    declare
      writer text := substring(current_setting('application_name') from '^pilothouse agent ([0-9a-f-]{36})$');
      task uuid := case when tg_argv[0] = 'id' then (to_jsonb(new) ->> 'id')::uuid else (to_jsonb(new) ->> 'task_id')::uuid end;
      holder text;
    begin
      if writer is null or task is null then return null; end if;
      select e.agent_id::text into holder from tasks t join executions e on e.id = t.execution_id where t.id = task;
      if holder is distinct from writer then
        insert into chaos_stale_writes (writer, holder, relation, task_id) values (writer, holder, tg_table_name, task);
      end if;
      return null;
    end $$;
    create constraint trigger chaos_stale_insert after insert on tasks deferrable initially deferred
      for each row execute function chaos_note_stale('id');
    create constraint trigger chaos_stale after update on tasks deferrable initially deferred
      for each row when (to_jsonb(old) - '{run,run_due_at,run_agent_id,is_rested}'::text[]
        is distinct from to_jsonb(new) - '{run,run_due_at,run_agent_id,is_rested}'::text[])
      execute function chaos_note_stale('id');
    create constraint trigger chaos_stale after insert or update on steps deferrable initially deferred
      for each row execute function chaos_note_stale('task_id');
    create constraint trigger chaos_stale after insert or update on executions deferrable initially deferred
      for each row execute function chaos_note_stale('task_id');
    create constraint trigger chaos_stale after insert or update on observations deferrable initially deferred
      for each row execute function chaos_note_stale('task_id');
    create constraint trigger chaos_stale after insert on events deferrable initially deferred
      for each row execute function chaos_note_stale('task_id');`);
}
