// An installation that has run for long: many closed sessions, and a few live ones that need nothing from an agent. Made in
// the database, for tests and benchmarks of what agents look at.

import pg from 'pg';

export type Size = {
  /** Closed sessions, each with an ended task, its browser's row and a recording. */
  stored: number;
  /** Sessions that have a browser at a host, and that no agent has to do anything for. */
  live: number;
  /** One in this many live sessions is recorded; 0 for none. */
  recordedEvery?: number;
  /** This many tasks wait for a browser, and all hosts are full. */
  waiting?: number;
};

const sessionsPerHost = 8;
const atOnce = 20_000;
/** A session of each user, in turn. */
const users = 50;

const idOf = (kind: string, n = 'n') => `md5('${kind} ' || ${n})::uuid`;
/** UUIDv7s that can be computed: they begin with their time of birth, and the live sessions are the youngest. */
const bornAt = (since: string, kind: number) =>
  `(lpad(to_hex((extract(epoch from timestamptz '${since}') * 1000)::bigint + n), 12, '0') || '7${kind}008000'
    || lpad(to_hex(n), 12, '0'))::uuid`;
const stored = { session: bornAt('2026-01-01Z', 1), task: bornAt('2026-01-01Z', 2) };
const live = { session: bornAt('2026-02-01Z', 1), task: bornAt('2026-02-01Z', 2) };
const ownerOf = idOf('user', `(n % ${users})`);
const hostOf = `'host-' || (n / ${sessionsPerHost})`;
const bootOf = idOf('boot', `(n / ${sessionsPerHost})`);
/** What each live session is in, by its number: most run a task, some rest, some have a person. */
const kindOf = `(array['running', 'running', 'running', 'running', 'running', 'idle', 'idle', 'awaiting_user', 'takeover',
  'running'])[n % 10 + 1]`;

export async function seedSessions(url: string, size: Size): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`insert into users (id, username, email)
      select ${idOf('user')}, 'user-' || n, 'user-' || n || '@example.test' from generate_series(0, ${users - 1}) n`);
    for (let first = 0; first < size.stored; first += atOnce)
      for (const text of closedSessions(`generate_series(${first}, ${Math.min(size.stored, first + atOnce) - 1}) n`))
        await client.query(text);
    for (const text of liveSessions(size)) await client.query(text);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

const closedSessions = (numbers: string): string[] => [
  `insert into sessions (id, owner_id, status, browser, viewport_width, viewport_height, recording, last_task_id)
   select ${stored.session}, ${ownerOf}, 'closed', 'cold', 1280, 720, n % 5 = 0, ${stored.task} from ${numbers}`,
  `insert into session_seq (session_id, last_seq, last_event_at, frame_bytes)
   select ${stored.session}, 40, now(), case when n % 5 = 0 then 30000 else 0 end from ${numbers}`,
  `insert into browsers (session_id, epoch, opened_epoch, state, reach)
   select ${stored.session}, 3, 2, case when n % 10 = 0 then jsonb_build_object('cookies', repeat('c', 500)) end, '{}'
   from ${numbers}`,
  `insert into tasks (id, session_id, owner_id, created_by, title, prompt, plan, settings, status, attempt, total_steps,
     current_step, first_seq, run, is_rested, started_at, finished_at)
   select ${stored.task}, ${stored.session}, ${ownerOf}, ${ownerOf}, 'Done', 'Look', '{"steps": []}', '{}', 'success', 1, 3,
     3, 1, 1, false, now(), now() from ${numbers}`,
  `insert into executions (id, task_id, attempt, agent_id, finished_at, outcome)
   select ${idOf('execution')}, ${stored.task}, 1, ${idOf('former agent', '(n % 40)')}, now(), 'success' from ${numbers}`,
  `insert into takeovers (id, session_id, task_id, status, holder_id, requested_by, epoch, lease_secs, expires_at, token_hash)
   select ${idOf('takeover')}, ${stored.session}, ${stored.task}, 'ended', ${ownerOf}, 'ada', 2, 300, now(), '\\x00'
   from ${numbers} where n % 10 = 0`,
  `insert into recorded_frames (session_id, seq, frame_id, owner_id, recorded_at, content_type, width, height, route, blob_key,
     byte_len)
   select ${stored.session}, 40, ${idOf('frame')}, ${ownerOf}, now(), 'image/jpeg', 1280, 720, '{}', 'none/such', 30000
   from ${numbers} where n % 5 = 0`,
];

function liveSessions({ live: count, recordedEvery = 0, waiting = 0 }: Size): string[] {
  const numbers = `generate_series(0, ${count - 1}) n`;
  const tomorrow = `now() + interval '1 day'`;
  return [
    `insert into sessions (id, owner_id, status, browser, viewport_width, viewport_height, recording, last_task_id)
     select ${live.session}, ${ownerOf}, (case ${kindOf} when 'idle' then 'idle' when 'takeover' then 'takeover'
       else 'active' end)::session_status, 'live', 1280, 720, ${recordedEvery ? `n % ${recordedEvery} = 0` : 'false'},
       ${live.task} from ${numbers}`,
    `insert into session_seq (session_id, last_seq, last_event_at) select ${live.session}, 20, now() from ${numbers}`,
    `insert into hosts (id, boot_id, capacity, claimed_capacity, session_count, lease_until, seen_at, sessions,
       disagrees, unused_since)
     select ${hostOf}, ${bootOf}, ${sessionsPerHost}, ${sessionsPerHost}, count(*), ${tomorrow}, now(),
       jsonb_agg(jsonb_build_object('session_id', ${live.session}, 'epoch', 3, 'is_watched', n % 9 = 0, 'idle_ms', 1000)),
       false, now()
     from ${numbers} group by 1, 2`,
    `insert into browsers (session_id, owner_id, host_id, boot_id, epoch, opened_epoch, reach)
     select ${live.session}, ${ownerOf}, ${hostOf}, ${bootOf}, 3, 2, '{}' from ${numbers}`,
    // Each of them waits for a clock, so no agent takes it. Behind some there is a second one.
    `insert into tasks (id, session_id, owner_id, created_by, title, prompt, plan, settings, status, attempt, total_steps,
       current_step, first_seq, run, is_rested, run_due_at, execution_id, started_at, paused_at, question)
     select ${live.task}, ${live.session}, ${ownerOf}, ${ownerOf}, 'Wait', 'Wait', '{"steps": [{"action": "wait"}]}', '{}',
       (${kindOf})::task_status, 1, 1, 1, 2, 1, true, case ${kindOf} when 'running' then ${tomorrow} end,
       ${idOf('live execution')}, now(), case when ${kindOf} <> 'running' then date_trunc('milliseconds', now()) end,
       case ${kindOf} when 'awaiting_user' then jsonb_build_object('text', 'Which?', 'until', null, 'asked_at', now(),
         'expires_at', ${tomorrow}) end
     from ${numbers} where ${kindOf} <> 'idle'`,
    `insert into tasks (id, session_id, owner_id, created_by, title, prompt, plan, settings, status, first_seq)
     select ${idOf('next task')}, ${live.session}, ${ownerOf}, ${ownerOf}, 'Next', 'Next', '{"steps": []}', '{}', 'pending', 9
     from ${numbers} where n % 10 = 9`,
    `insert into executions (id, task_id, attempt, agent_id)
     select ${idOf('live execution')}, ${live.task}, 1, ${idOf('former agent')} from ${numbers} where ${kindOf} <> 'idle'`,
    `insert into takeovers (id, session_id, task_id, status, holder_id, requested_by, epoch, lease_secs, expires_at, token_hash)
     select ${idOf('live takeover')}, ${live.session}, ${live.task}, 'active', ${ownerOf}, 'ada', 3, 300, ${tomorrow}, '\\x00'
     from ${numbers} where ${kindOf} = 'takeover'`,
    // Waits of sessions that have an ended task only would be removed: these run one, and their browser is lost.
    `update browsers set host_id = null, boot_id = null
     where session_id in (select ${live.session} from generate_series(0, ${waiting - 1}) i(k), lateral (select k * 10) j(n))`,
    `insert into browser_waits (session_id, user_id, is_person, since, user_since, until, for_task)
     select ${live.session}, ${ownerOf}, false, now(), now(), 'infinity', true
     from generate_series(0, ${waiting - 1}) i(k), lateral (select k * 10) j(n)`,
  ];
}
