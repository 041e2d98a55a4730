// A task with very many steps, and the console's page of it.

import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import type { Installation } from './installation.ts';

const readyMs = 30_000;

/** A real task of one step gets rows of many more: as many attempts and pictures as a task of that length has. */
async function lengthenTask(databaseUrl: string, taskId: string, steps: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const plan = {
      steps: Array.from({ length: steps }, (_, index) => ({ action: 'reload', title: `Step ${index + 1}` })),
    };
    const begun = "finished_at + n * interval '1 s'";
    await client.query(
      `insert into steps (task_id, index, try, execution_id, command_id, epoch, status, intent_at, effect_at, run_ms, error)
       select t.id, n, k, s.execution_id, gen_random_uuid(), 1,
         (case when k = 1 and n % 20 = 0 then 'failed' else 'success' end)::step_status,
         t.${begun} + (k - 1) * interval '500 ms', t.${begun} + k * interval '400 ms', 400,
         case when k = 1 and n % 20 = 0 then 'It was not there.' end
       from tasks t join steps s on s.task_id = t.id and s.index = 1 and s.try = 1,
         generate_series(2, $2) n, generate_series(1, case when n % 20 = 0 then 2 else 1 end) k
       where t.id = $1`,
      [taskId, steps],
    );
    await client.query(
      `insert into observations (id, task_id, step_id, seq, recorded_at, kind, url, title, summary, blob_key, content_type,
         byte_len, width, height)
       select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid,
         t.id, 'step-' || n, 100000 + n, t.${begun}, 'screenshot', o.url, o.title, o.summary,
         o.blob_key, o.content_type, o.byte_len, o.width, o.height
       from tasks t cross join lateral (
         select * from observations where task_id = t.id and blob_key is not null order by seq desc limit 1) o,
         generate_series(2, $2) n
       where t.id = $1`,
      [taskId, steps],
    );
    await client.query(
      `update tasks set plan = $2, total_steps = $3::int, current_step = $3::int, finished_at = finished_at + $3::int * interval '1 s'
       where id = $1`,
      [taskId, plan, steps],
    );
  } finally {
    await client.end();
  }
}

/** The page of a session whose task has this many steps, at the end of its timeline. */
export async function openLongTask(installation: Installation, browser: Browser, steps: number): Promise<Page> {
  const { client, shop, stack, baseUrl } = installation;
  const { session_id, task_id } = await client.sendChat({
    prompt: 'A long way',
    steps: [{ action: 'navigate', url: `${shop.url}/` }],
  });
  for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(readyMs) }));
  await lengthenTask(stack.services.databaseUrl(), task_id, steps);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${baseUrl}/sessions/${session_id}?tab=steps`);
  await page
    .getByTestId('step')
    .filter({ hasText: `Step ${steps}` })
    .waitFor({ timeout: readyMs });
  return page;
}

export const countNodes = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);
