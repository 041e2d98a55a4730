// What a protected read costs at least: node:http and pg, the queries and replies of ours, and nothing around them.
// Started by auth.ts, which checks that both still send the same SQL and answer the same.
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL_SIZE),
  application_name: 'bare',
});
// Without a database there is nothing to measure.
pool.on('error', () => process.exit(1));

const holderSql = `select u.id as user_id, u.username, u.email, u.role, l.id as login_id, t.issued_at, t.expires_at,
    t.expires_at <= now() as is_expired
  from access_tokens t join logins l on l.id = t.login_id join users u on u.id = l.user_id
  where t.hash = $1 and l.ended_at is null and l.expires_at > now() and u.disabled_at is null`;
const sessionsSql = `select s.*, q.last_event_at,
    -- Not by "exists", which for a list reads all shares there are.
    coalesce((select true from shares h where h.session_id = s.id and h.expires_at > now()), false) as shared,
    coalesce((select sum(v.count) from viewers v
              where v.session_id = s.id and v.until > clock_timestamp()), 0)::int as viewers,
    case when t.id is not null then json_build_object('id', t.id, 'title', t.title, 'status', t.status,
      'current_step', t.current_step, 'current_step_title', t.current_step_title, 'total_steps', t.total_steps,
      'started_at', t.started_at, 'finished_at', t.finished_at) end as last_task,
    case when w.id is not null then json_build_object('task_id', w.id, 'status', w.status,
      'text', left(w.question ->> 'text', 200), 'since', w.paused_at) end as waiting,
    case when f.frame_id is not null then json_build_object('frame_id', f.frame_id, 'recorded_at', f.recorded_at,
      'private', f.private) end as picture
  from (select * from sessions s where s.owner_id = $2 order by s.updated_at desc, s.id desc limit $1) as s
  -- With limits, each row is looked up; joins could read whole tables for a page.
  cross join lateral (select last_event_at from session_seq where session_id = s.id limit 1) as q
  left join lateral (select * from tasks where id = s.last_task_id limit 1) as t on true
  left join lateral (select * from frames where session_id = s.id limit 1) as f on true
  left join lateral (
    select id, status, question, paused_at from tasks
    where session_id = s.id and status in ('pending', 'running', 'awaiting_user', 'takeover')
      and status in ('awaiting_user', 'takeover')
    order by first_seq, id limit 1) as w on true
  order by s.updated_at desc, s.id desc`;

async function holderOf(authorization = '') {
  const hash = createHash('sha256').update(authorization.slice('Bearer '.length)).digest();
  const { rows } = await pool.query({ name: 'holder', text: holderSql, values: [hash] });
  return rows[0]?.is_expired === false ? rows[0] : undefined;
}

const seconds = (time: Date) => Math.floor(time.getTime() / 1000);

// biome-ignore lint/suspicious/noExplicitAny: a row as pg types it.
const me = (holder: any) => ({
  sub: holder.user_id,
  id: holder.user_id,
  username: holder.username,
  email: holder.email,
  role: holder.role,
  sid: holder.login_id,
  iat: seconds(holder.issued_at),
  exp: seconds(holder.expires_at),
});

// biome-ignore lint/suspicious/noExplicitAny: a row as pg types it.
async function sessions(holder: any, limit: number) {
  const { rows } = await pool.query({ name: 'sessions', text: sessionsSql, values: [limit + 1, holder.user_id] });
  return {
    success: true,
    sessions: rows.slice(0, limit).map((row) => ({
      id: row.id,
      status: row.status,
      browser: row.browser,
      last_task_id: row.last_task_id,
      live_path: `/api/sessions/${row.id}/live`,
      profile_id: row.profile_id,
      profile_label: row.profile_label,
      title: row.title,
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
      last_event_at: row.last_event_at?.toISOString() ?? null,
      shared: row.shared,
      viewers: row.viewers,
      recording: false,
      // There is nothing yet in the sessions that are read here.
      last_task: row.last_task,
      needs_person: row.waiting,
      thumbnail: row.picture,
    })),
    next_cursor: null,
  };
}

function answer(response: ServerResponse, status: number, value: unknown) {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

const server = createServer(async ({ url = '', headers }, response) => {
  try {
    const [path, query] = url.split('?', 2);
    const holder = await holderOf(headers.authorization);
    if (!holder) answer(response, 401, {});
    else if (path === '/api/auth/me') answer(response, 200, me(holder));
    else if (path === '/api/sessions') {
      const limit = Number(new URLSearchParams(query).get('limit'));
      answer(response, 200, await sessions(holder, limit));
    } else answer(response, 404, {});
  } catch (error) {
    answer(response, 500, { message: String(error) });
  }
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
// Whoever started us is gone.
process.on('disconnect', () => process.exit());
