import { setTimeout as sleep } from 'node:timers/promises';
import type { Step } from '@pilothouse/contract';
import { type Client, createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { startCountingSite } from '../../testkit/pages/counter.ts';
import { figuresOf } from '../../testkit/percentiles.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import type { Stack } from '../../testkit/stack/stack.ts';
import { withStack } from '../../testkit/stack/with-services.ts';

type Kind = 'agent' | 'browser';

const nextStepMs = 30_000;

/** From the `kill -9` of the agent or host that has the task to the next step that is done, with another one standing by. */
export const measureRecovery = (rounds: number) =>
  withStack(`recovery-${process.pid}`, async (stack) => {
    const [port, site] = await Promise.all([freePort(), startCountingSite()]);
    await stack.up({ port, servers: 1, agents: 2, browsers: 2, disableAuth: true, sites: [site.url] });
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
    const db = new pg.Client({ connectionString: stack.services.databaseUrl() });
    await db.connect();
    const times: Record<Kind, number[]> = { agent: [], browser: [] };
    try {
      for (let round = 0; round < rounds; round += 1) {
        for (const kind of ['agent', 'browser'] as const)
          times[kind].push(await shootOnce({ stack, client, db, kind }, site.url));
      }
    } finally {
      await db.end();
      await site.close();
    }
    return {
      rounds,
      agent_killed_to_next_step_ms: figuresOf(times.agent),
      host_killed_to_next_step_ms: figuresOf(times.browser),
    };
  });

type Installation = { stack: Stack; client: Client; db: pg.Client; kind: Kind };

async function shootOnce({ stack, client, db, kind }: Installation, url: string): Promise<number> {
  const name = `round-${Date.now()}`;
  const steps: Step[] = Array.from({ length: 60 }, (_, i): Step[] => [
    { action: 'navigate', url: `${url}/${name}/${i}` },
    { action: 'type', target: 'Note', text: 'words of a person' },
    { action: 'click', target: 'Send' },
  ]).flat();
  const { task_id, session_id } = await client.sendChat({ prompt: 'work', steps, max_steps: 200 });
  const doneSince = async (since: Date): Promise<number | undefined> => {
    const { rows } = await db.query<{ ms: number | null }>(
      `select round(1000 * extract(epoch from min(effect_at) - $2), 1)::float as ms from steps
       where task_id = $1 and status = 'success' and effect_at > $2`,
      [task_id, since],
    );
    return rows[0]?.ms ?? undefined;
  };
  // In the middle of its work, at no moment in particular.
  while ((await doneSince(new Date(0))) === undefined) await sleep(50);
  await sleep(300 + Math.random() * 700);
  const part = kind === 'agent' ? await agentOf(stack, db, task_id) : await hostOf(db, session_id);
  const pid = stack.status().processes[part]?.pid ?? 0;
  const { rows } = await db.query<{ now: Date }>('select clock_timestamp() as now');
  const begun = performance.now();
  process.kill(pid, 'SIGKILL');
  const killedAt = rows[0]?.now ?? new Date();
  let ms: number | undefined;
  while (ms === undefined && performance.now() - begun < nextStepMs) {
    await sleep(20);
    ms = await nextAfter(db, task_id, killedAt, kind);
  }
  await client.cancelTask({ id: task_id });
  await client.deleteSession({ id: session_id });
  await stack.kill(part);
  await stack.start(part);
  if (ms === undefined) throw new Error(`no step was done within ${nextStepMs} ms of the end of ${part}`);
  return ms;
}

/** Only steps of the successor: what was on its way when the former one died does not count. */
async function nextAfter(db: pg.Client, taskId: string, since: Date, kind: Kind): Promise<number | undefined> {
  const isNew =
    kind === 'agent'
      ? 'execution_id = (select execution_id from tasks where id = $1) and (select attempt from tasks where id = $1) > 1'
      : 'epoch >= (select opened_epoch from browsers b join tasks t on t.session_id = b.session_id where t.id = $1) and epoch > 1';
  const { rows } = await db.query<{ ms: number | null }>(
    `select round(1000 * extract(epoch from min(effect_at) - $2), 1)::float as ms from steps
     where task_id = $1 and status = 'success' and effect_at > $2 and ${isNew}`,
    [taskId, since],
  );
  return rows[0]?.ms ?? undefined;
}

async function agentOf(stack: Stack, db: pg.Client, taskId: string): Promise<string> {
  const { rows } = await db.query<{ agent_id: string }>(
    'select agent_id from executions e join tasks t on t.execution_id = e.id where t.id = $1',
    [taskId],
  );
  for (const [name, { ops_port }] of Object.entries(stack.status().processes)) {
    if (!name.startsWith('agent')) continue;
    const text = await fetch(`http://127.0.0.1:${ops_port}/metrics`).then((answer) => answer.text());
    if (rows[0] && text.includes(rows[0].agent_id)) return name;
  }
  throw new Error('no agent has the task');
}

async function hostOf(db: pg.Client, sessionId: string): Promise<string> {
  const { rows } = await db.query<{ host_id: string }>('select host_id from browsers where session_id = $1', [
    sessionId,
  ]);
  return rows[0]?.host_id ?? '';
}
