import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import { localUser } from '@pilothouse/store';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const begun = Date.UTC(2026, 0, 1);
const at = (secs: number) => new Date(begun + secs * 1000).toISOString();

describe('the bands of a recording', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true });
  });
  after(() => server.close());

  const query = (text: string, values: unknown[]) =>
    server.store.transaction(({ client }) => client.query(text, values));

  /** A session that began at 0 s, and the rows of a task that ran from 10 s to 100 s. */
  async function session(steps: Step[] = [{ action: 'reload' }]) {
    const { task_id, session_id: id } = await server.client.sendChat({ prompt: 'x', steps });
    await query('update sessions set created_at = $2 where id = $1', [id, at(0)]);
    await query(`update tasks set started_at = $2, finished_at = $3, status = 'success' where id = $1`, [
      task_id,
      at(10),
      at(100),
    ]);
    return { id, task_id };
  }
  const attempt = (taskId: string, index: number, from: number, to: number, status: string) =>
    query(
      `insert into steps (task_id, index, try, execution_id, command_id, epoch, status, intent_at, effect_at)
       values ($1, $2, 1, $3, $3, 1, $4, $5, $6)`,
      [taskId, index, randomUUID(), status, at(from), at(to)],
    );
  const all = async (id: string, given: { from?: string; to?: string; limit?: number } = {}) => {
    const bands = [];
    let cursor: string | undefined;
    do {
      const page = await server.client.getRecordingBands({ id, ...given, cursor });
      assert.ok(page.bands.length <= (given.limit ?? 50));
      bands.push(...page.bands);
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    return bands;
  };
  const short = (bands: Awaited<ReturnType<typeof all>>) =>
    bands.map(({ kind, from, to }) => [kind, (Date.parse(from) - begun) / 1000, to && (Date.parse(to) - begun) / 1000]);

  it('say who drove: agent, failed attempt, wait for a person, person, and nobody', async () => {
    const { id, task_id } = await session();
    await attempt(task_id, 1, 15, 20, 'failed');
    await attempt(task_id, 2, 21, 25, 'success');
    const answers = [{ step_id: null, question: '?', asked_at: at(40), text: 'x', answered_at: at(60) }];
    await query('update tasks set answers = $2 where id = $1', [task_id, JSON.stringify(answers)]);
    await server.store.change(id, async (tx, append) => {
      const about = { sessionId: id, taskId: null, reason: null, leaseSecs: 60, tokenHash: Buffer.alloc(32) };
      await server.store.takeovers.request(tx, append, { ...about, holderId: localUser.id });
    });
    await query(
      `update takeovers set status = 'ended', activated_at = $2, returned_at = $3, ended_at = $4 where session_id = $1`,
      [id, at(70), at(80), at(85)],
    );
    const bands = await all(id);
    assert.deepEqual(short(bands), [
      ['idle', 0, 10],
      ['agent', 10, 15],
      ['failed', 15, 20],
      ['agent', 20, 40],
      ['waiting', 40, 60],
      ['agent', 60, 70],
      ['person', 70, 80],
      ['agent', 80, 100],
      ['idle', 100, null],
    ]);
    assert.deepEqual(
      bands.filter((band) => band.private).map(({ kind }) => kind),
      ['person'],
    );
    assert.deepEqual(
      bands.flatMap((band) => band.held_by ?? []),
      [localUser.id],
    );
    assert.equal(bands[2]?.step_id, 'step-1');
    assert.equal(bands[1]?.task_id, task_id);
    assert.deepEqual(short(await all(id, { from: at(30), to: at(75) })), [
      ['agent', 30, 40],
      ['waiting', 40, 60],
      ['agent', 60, 70],
      ['person', 70, 75],
    ]);
    assert.deepEqual(short(await all(id, { limit: 1 })), short(bands), 'page by page');
    assert.deepEqual(await all(id, { from: at(50), to: at(50) }), []);
    await assert.rejects(server.client.getRecordingBands({ id, cursor: 'x' }), { code: 'validation_failed' });
  });

  it('count a question that was never answered as waiting, and go on while a task is open', async () => {
    const { id, task_id } = await session([{ action: 'ask', question: '?' }]);
    await attempt(task_id, 1, 20, 100, 'interrupted');
    assert.deepEqual(short(await all(id)), [
      ['idle', 0, 10],
      ['agent', 10, 20],
      ['waiting', 20, 100],
      ['idle', 100, null],
    ]);
    await query(`update tasks set finished_at = null, status = 'running' where id = $1`, [task_id]);
    assert.deepEqual(short(await all(id)).at(-1), ['agent', 100, null]);
  });

  it('are the same however many rows are read at once', async () => {
    const { id, task_id } = await session();
    for (let index = 1; index <= 70; index += 1) await attempt(task_id, index, 10 + index, 10.5 + index, 'failed');
    const bands = await all(id, { limit: 200 });
    assert.equal(bands.filter(({ kind }) => kind === 'failed').length, 70);
    assert.deepEqual(short(await all(id, { limit: 7 })), short(bands));
    for (const [index, band] of bands.entries()) if (index > 0) assert.equal(band.from, bands[index - 1]?.to);
  });
});
