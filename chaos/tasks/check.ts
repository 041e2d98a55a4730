// What is left afterwards, read from the database, the site's own log and what people saw: each sentence is something
// that must not be.

import type pg from 'pg';
import type { Site } from '../../testkit/pages/counter.ts';
import type { TaskHistory } from './person.ts';

type StepRow = { task_id: string; index: number; status: string; may_have_acted: boolean; epoch: number };
type Sum = { id: string; status: string; session_id: string };

export async function checkTasks(
  client: pg.ClientBase,
  site: Pick<Site, 'posts'>,
  all: TaskHistory[],
): Promise<string[]> {
  const ids = all.map(({ taskId }) => taskId);
  const rowsOf = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = [ids]) =>
    (await client.query<Row>(text, values)).rows;
  const tasks = new Map(
    (await rowsOf<Sum>('select id, status, session_id from tasks where id = any ($1)')).map((row) => [row.id, row]),
  );
  const steps = Map.groupBy(
    await rowsOf<StepRow>('select task_id, index, status, may_have_acted, epoch from steps where task_id = any ($1)'),
    ({ task_id }) => task_id,
  );
  const ends = new Map(
    (
      await rowsOf<{ task_id: string; ends: number; results: number }>(
        `select task_id, count(*) filter (where kind = 'status' and data #>> '{status,status}' in ('success', 'failed'))::int as ends,
                count(*) filter (where kind = 'result')::int as results
         from events where task_id = any ($1) group by task_id`,
      )
    ).map((row) => [row.task_id, row]),
  );
  const seqs = Map.groupBy(
    await rowsOf<{ task_id: string; seq: string }>(
      // Where the browser went is for those who watch the session.
      `select task_id, seq from events where task_id = any ($1) and kind <> 'route' order by seq`,
    ),
    ({ task_id }) => task_id,
  );

  const wrong: string[] = [];
  for (const seen of all) {
    const say = (text: string) => wrong.push(`${seen.name} (${seen.taskId}): ${text}`);
    const task = tasks.get(seen.taskId);
    if (!task) {
      say('acknowledged, and not there');
      continue;
    }
    const sentOf = ({ script }: TaskHistory) =>
      `it saw ${script.sendings.map(({ path, index }) => `${index}: ${site.posts.get(path) ?? 0}`).join(', ')}`;
    const mine = steps.get(seen.taskId) ?? [];
    const count = (index: number, status: string) =>
      mine.filter((row) => row.index === index && row.status === status).length;
    checkEnd(seen, task, say);
    if (seen.ended === 'success') {
      for (const [at, { action }] of seen.script.steps.entries()) {
        const done = mine.filter(({ index, status }) => index === at + 1 && status === 'success');
        if (!isRightlyDone(action, done)) say(`step ${at + 1} (${action}) succeeded ${done.length} times`);
      }
      const { ends: finishes = 0, results = 0 } = ends.get(seen.taskId) ?? {};
      if (finishes !== 1 || results !== 1) say(`it finished ${finishes} times, with ${results} results`);
    }
    for (const { path, index, isIrreversible } of seen.script.sendings) {
      const posts = site.posts.get(path) ?? 0;
      // Of a try that touched nothing, nothing was seen.
      const maybe = mine.filter((row) => row.index === index && row.status !== 'success' && row.may_have_acted).length;
      const isDone = count(index, 'success') > 0;
      if (isDone && posts === 0) say(`step ${index} counts as done, and the site never saw it; ${sentOf(seen)}`);
      if (posts > (isIrreversible ? 1 : Number(isDone) + maybe))
        say(
          `step ${index} was sent ${posts} times with ${maybe} tries that may have acted${isIrreversible ? ', and cannot be undone' : ''}`,
        );
    }
    if (seen.ended === 'awaiting_user') {
      const cut = seen.script.sendings.some(
        ({ index, isIrreversible }) => isIrreversible && count(index, 'interrupted') > 0,
      );
      if (!cut) say(`it asks although nothing that cannot be undone was cut: ${seen.question}`);
    }
    checkSeen(
      seen,
      (seqs.get(seen.taskId) ?? []).map(({ seq }) => Number(seq)),
      say,
    );
  }
  return [...wrong, ...(await holes(client)), ...(await leftOpen(client, ids))];
}

const filling = new Set(['type', 'select', 'check']);
/** Once. What fills a field is done again in a browser that was opened again, so never twice under one epoch. */
function isRightlyDone(action: string, done: StepRow[]): boolean {
  const epochs = new Set(done.map(({ epoch }) => epoch));
  return done.length === 1 || (filling.has(action) && done.length > 1 && epochs.size === done.length);
}

function checkEnd(seen: TaskHistory, task: Sum, say: (text: string) => void): void {
  if (seen.ended === 'stuck') say(`it did not end; the database has it as ${task.status}; ${seen.error ?? ''}`);
  else if (seen.ended === 'failed' || seen.ended === 'cancelled') say(`it ended as ${seen.ended}: ${seen.error}`);
  // One that asked is closed with its session.
  const kept = seen.ended === 'awaiting_user' ? ['awaiting_user', 'cancelled'] : [seen.ended];
  if (seen.ended !== 'stuck' && !kept.includes(task.status)) say(`seen as ${seen.ended}, kept as ${task.status}`);
}

/** What a person saw is what is in the log from its beginning, each once and in order. */
function checkSeen({ seqs, ended }: TaskHistory, logged: number[], say: (text: string) => void): void {
  const same = seqs.every((seq, i) => seq === logged[i]);
  const isWhole = ended !== 'success' || seqs.length === logged.length;
  if (!same || !isWhole)
    say(
      `saw ${seqs.length} events of ${logged.length}, first difference at ${seqs.findIndex((seq, i) => seq !== logged[i])}`,
    );
}

async function holes(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ session_id: string; events: number; last: number }>(
    `select e.session_id, count(*)::int as events, s.last_seq::int as last
     from events e join session_seq s using (session_id) group by e.session_id, s.last_seq
     having count(*) <> s.last_seq or max(e.seq) <> s.last_seq or min(e.seq) <> 1`,
  );
  return rows.map(({ session_id, events, last }) => `session ${session_id} has ${events} events up to ${last}`);
}

/** What should be over with the task, and is not. */
async function leftOpen(client: pg.ClientBase, ids: string[]): Promise<string[]> {
  const { rows } = await client.query<{ what: string }>(
    `select 'step ' || s.index || ' of ' || t.id || ' runs on' as what from steps s join tasks t on t.id = s.task_id
       where t.id = any ($1) and s.status = 'running' and t.status in ('success', 'failed', 'cancelled')
     union all
     select 'execution ' || e.id || ' of ' || t.id || ' runs on' from executions e join tasks t on t.id = e.task_id
       where t.id = any ($1) and e.finished_at is null and t.status in ('success', 'failed', 'cancelled')
     union all
     select 'row of ' || relation || ' of task ' || task_id || ' written by ' || writer || ' while ' || coalesce(holder, 'nobody') || ' had it'
       from chaos_stale_writes`,
    [ids],
  );
  return rows.map(({ what }) => what);
}
