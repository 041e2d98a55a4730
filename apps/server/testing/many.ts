// Rows by the million, made in the database, for tests and benchmarks of reads.

import pg from 'pg';

const tasksPerSession = 10;
const stepsPerTask = 3;
const atOnce = 50_000;

/** UUIDv7s that can be computed: the nth of a kind. */
const nthId = (kind: number, n: string) =>
  `(lpad(to_hex(1767225600000 + ${n}), 12, '0') || '7${kind}008000' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const at = (n: string) => `timestamptz '2026-01-01Z' + ${n} * interval '1 s'`;

export function nthTask(n: number): string {
  const time = (1767225600000 + n).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7200-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Finished tasks of one owner, ten to a session, each with its ledger and its observations; from the nth on. */
export async function seedTasks(url: string, ownerId: string, count: number, start = 0): Promise<void> {
  await seeding(url, async (client) => {
    await insertSessions(client, ownerId, Math.ceil(count / tasksPerSession), start / tasksPerSession);
    const plan = { steps: Array.from({ length: stepsPerTask }, () => ({ action: 'screenshot' })) };
    const result = { summary: 'Done', data: null, files: [] };
    await inBatches(start, count, (first, last) =>
      client.query(
        `insert into tasks (id, session_id, owner_id, created_by, title, prompt, plan, settings, status, attempt, total_steps,
           current_step, current_step_title, result, first_seq, created_at, started_at, finished_at, updated_at)
         select ${nthId(2, 'n')}, ${nthId(1, `n / ${tasksPerSession}`)}, $1, $1, 'Task ' || n, 'Look at it', $2, '{}',
           'success', 1, ${stepsPerTask}, ${stepsPerTask}, 'Screenshot', $3, 1, ${at('n')}, ${at('n')}, ${at('n')}, ${at('n')}
         from generate_series(${first}, ${last}) n`,
        [ownerId, plan, result],
      ),
    );
    await inBatches(start * stepsPerTask, count * stepsPerTask, (first, last) =>
      client.query(
        `insert into steps (task_id, index, try, execution_id, command_id, epoch, status, intent_at, effect_at)
         select ${nthId(2, `n / ${stepsPerTask}`)}, n % ${stepsPerTask} + 1, 1, ${nthId(4, 'n')}, ${nthId(5, 'n')}, 1,
           'success', ${at('n')}, ${at('n')}
         from generate_series(${first}, ${last}) n`,
      ),
    );
    await inBatches(start * stepsPerTask, count * stepsPerTask, (first, last) =>
      client.query(
        `insert into observations (id, task_id, step_id, seq, recorded_at, kind, url, title, summary, blob_key, content_type,
           byte_len, width, height)
         select ${nthId(3, 'n')}, ${nthId(2, `n / ${stepsPerTask}`)}, 'step-' || n % ${stepsPerTask} + 1, n + 1,
           ${at('n')}, 'screenshot', 'http://shop.test/', 'Shop', 'Screenshot', 'none/such', 'image/jpeg', 1, 1280, 720
         from generate_series(${first}, ${last}) n`,
      ),
    );
    // Each task had a takeover; in every second session that of the last task stands, as no other can.
    await inBatches(start, count, (first, last) =>
      client.query(
        `insert into takeovers (id, session_id, task_id, status, holder_id, requested_by, epoch, lease_secs, expires_at, token_hash)
         select ${nthId(6, 'n')}, ${nthId(1, `n / ${tasksPerSession}`)}, ${nthId(2, 'n')},
           (case n % ${2 * tasksPerSession} when ${2 * tasksPerSession - 1} then 'active' else 'ended' end)::takeover_status,
           $1, 'ada', 1, 300, ${at('n')} + interval '10 years', '\\x00'
         from generate_series(${first}, ${last}) n`,
        [ownerId],
      ),
    );
    for (const table of ['sessions', 'session_seq', 'tasks', 'steps', 'observations', 'takeovers']) {
      await client.query(`vacuum analyze ${table}`);
    }
  });
}

/** Idle and closed sessions of one owner, from the nth on. */
export async function seedSessions(url: string, ownerId: string, count: number, start = 0): Promise<void> {
  await seeding(url, async (client) => {
    await insertSessions(client, ownerId, count, start);
    await client.query('vacuum analyze sessions');
    await client.query('vacuum analyze session_seq');
  });
}

async function insertSessions(client: pg.Client, ownerId: string, count: number, start: number): Promise<void> {
  await inBatches(start, count, async (first, last) => {
    const numbers = `generate_series(${first}, ${last}) n`;
    await client.query(
      `insert into sessions (id, owner_id, status, title, viewport_width, viewport_height, created_at, updated_at)
       select ${nthId(1, 'n')}, $1, (case n % 3 when 0 then 'idle' else 'closed' end)::session_status, 'Session ' || n,
         1280, 720, ${at('n')}, ${at('n')}
       from ${numbers}`,
      [ownerId],
    );
    await client.query(
      `insert into session_seq (session_id, last_seq, last_event_at) select ${nthId(1, 'n')}, 30, ${at('n')} from ${numbers}`,
    );
  });
}

type Insert = (first: number, last: number) => Promise<unknown>;

async function inBatches(start: number, count: number, insert: Insert): Promise<void> {
  const end = start + count;
  for (let first = start; first < end; first += atOnce) await insert(first, Math.min(first + atOnce, end) - 1);
}

async function seeding(url: string, seed: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Computed rows need no check of their references, and are made again after a crash.
    await client.query('set session_replication_role = replica');
    await client.query('set synchronous_commit = off');
    await seed(client);
    // So that the reads that follow do not write these pages out.
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
