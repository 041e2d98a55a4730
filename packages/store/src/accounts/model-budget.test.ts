import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { explain, watchQueries } from '../../testing/queries.ts';
import { newId } from '../db/ids.ts';
import { openStore, type Store } from '../store.ts';
import { usedUpToday } from './model-budget.ts';
import { localUser } from './users.ts';

const usage = { input: 1000, cached: 0, cacheWritten: 0, output: 50, reasoning: 0 };

describe('what a user has used of models today', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', onError: () => {} });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store.close();
    await database.close();
  });

  async function newTask() {
    const [taskId, sessionId] = [newId(), newId()];
    const executionId = await store.change(sessionId, async (tx) => {
      const viewport = { width: 1, height: 1 };
      await store.sessions.create(tx, localUser, { id: sessionId, viewport, recording: false });
      const words = { title: 't', prompt: 'p', plan: { steps: [] }, settings: {}, totalSteps: null };
      await store.tasks.create(tx, localUser, { id: taskId, sessionId, ...words });
      return (await store.tasks.beginExecution(tx, taskId, newId()))?.executionId ?? '';
    });
    return { taskId, executionId };
  }
  const begin = (held: { taskId: string; executionId: string }) =>
    store.transaction(async (tx) => {
      const call = await store.modelCalls.begin(tx, held, { purpose: 'decide', model: 'm', estimatedTokens: 300 });
      assert.ok(call);
      return call;
    });

  it('is the sum of the calls of this day, of all tasks, and of no other user', async () => {
    assert.deepEqual(
      { ...(await store.modelBudget.today(localUser.id)), endsAt: 0, leftSecs: 0 },
      {
        ...{ tokens: 0, costMicros: 0 },
        ...{ endsAt: 0, leftSecs: 0 },
      },
    );
    const [one, other] = [await newTask(), await newTask()];
    const first = await begin(one);
    await store.transaction((tx) => store.modelCalls.end(tx, first, { status: 'ok', usage, costMicros: 70 }));
    await begin(other);
    const old = await begin(one);
    await store.transaction(({ client }) =>
      client.query(`update model_calls set begun_at = begun_at - interval '1 day' where task_id = $1 and number = $2`, [
        old.task_id,
        old.number,
      ]),
    );
    const { tokens, costMicros, endsAt, leftSecs } = await store.modelBudget.today(localUser.id);
    assert.deepEqual([tokens, costMicros], [1350, 70], 'an open call counts as estimated');
    assert.equal(endsAt.getTime() % 86_400_000, 0, 'the day ends at midnight of UTC');
    assert.ok(leftSecs > 0 && leftSecs <= 86_400);
    assert.equal((await store.modelBudget.today(newId())).tokens, 0);
  });

  it('has what models used for them without a task, and keeps nothing of earlier days', async () => {
    const before = await store.modelBudget.today(localUser.id);
    await store.modelBudget.add(localUser.id, { tokens: 40, costMicros: 3 });
    await store.transaction(({ client }) =>
      client.query(`update model_uses set used_at = used_at - interval '3 days' where user_id = $1`, [localUser.id]),
    );
    await store.modelBudget.add(localUser.id, { tokens: 50, costMicros: 4 });
    const { tokens, costMicros } = await store.modelBudget.today(localUser.id);
    assert.deepEqual([tokens - before.tokens, costMicros - before.costMicros], [50, 4]);
    const { rows } = await store.transaction(({ client }) => client.query('select tokens from model_uses'));
    assert.equal(rows.length, 1);
  });

  it('is found along its index: a year of calls makes it no dearer', async () => {
    const { taskId } = await newTask();
    await store.transaction(({ client }) =>
      client.query(
        `insert into model_calls (task_id, number, execution_id, purpose, model, status, begun_at, estimated_tokens, user_id)
         select $1, 1000 + i, $1, 'decide', 'm', 'ok', now() - interval '1 day' - i * interval '15 minutes', 1, $2
         from generate_series(1, 35000) i`,
        [taskId, localUser.id],
      ),
    );
    await store.transaction(({ client }) => client.query('analyze model_calls'));
    for (const mode of ['custom', 'generic'] as const) {
      const queries = watchQueries();
      await store.modelBudget.today(localUser.id).finally(queries.close);
      const query = queries.sent.find(({ text }) => text.includes('model_calls'));
      assert.ok(query);
      const plan = await explain(database.url, query, mode);
      const indexes = plan.nodes.flatMap((node) => node['Index Name'] ?? []);
      assert.ok(indexes.includes('model_calls_of_user'), String(indexes));
      assert.ok(plan.pagesTouched < 20, `${plan.pagesTouched} pages`);
    }
  });

  it('is over with a sentence that says when it begins again', () => {
    const day = { tokens: 500, costMicros: 2_500_000, endsAt: new Date('2026-11-18T00:00:00Z'), leftSecs: 1 };
    assert.equal(usedUpToday(day, { tokens: 0, costMicros: 0 }), undefined);
    assert.equal(usedUpToday(day, { tokens: 501, costMicros: 2_500_001 }), undefined);
    assert.equal(
      usedUpToday(day, { tokens: 500, costMicros: 0 }),
      'The 500 tokens that models may use for one person in a day are used up. It begins again at 2026-11-18 00:00 UTC.',
    );
    assert.match(
      usedUpToday(day, { tokens: 0, costMicros: 2_500_000 }) ?? '',
      /^The 2\.5 dollars that models may cost/,
    );
  });
});
