import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { maxSteps, type Step } from '@pilothouse/contract';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { localUser, newId, openStore, type ProgramLine, type Store } from '../index.ts';

const viewport = { width: 1280, height: 720 };
const click = (name: string): Step => ({ action: 'click', target: { role: 'button', name } });
const lineOf = (step: Step, more: Partial<ProgramLine> = {}): ProgramLine => ({
  ...{ id: newId(), step, status: 'success', error: null, agoMs: 0, runMs: 0, bbox: null, point: null },
  ...more,
});

describe('the task of a program', () => {
  let database: TestDatabase;
  let store: Store;
  const bootId = randomUUID();
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 10, onError: () => {} });
    await store.users.ensureLocal();
    await store.hosts.renew({ hostId: 'h1', bootId, capacity: 100, sessions: [], leaseMs: 600_000 });
  });
  after(async () => {
    await store.close();
    await database.close();
  });

  /** A program that is connected to a session with a browser. */
  async function connect() {
    const [sessionId, id] = [newId(), newId()];
    await store.change(sessionId, async (tx) => {
      await store.sessions.create(tx, localUser, { id: sessionId, viewport });
      await store.browsers.assign(tx, sessionId, { id: 'h1', bootId }, 0);
    });
    await store.programs.connected(id, sessionId, localUser.id);
    const program = { id, sessionId, userId: localUser.id, hostId: 'h1', epoch: 2 };
    return {
      ...program,
      record: (...lines: ProgramLine[]) =>
        store.change(sessionId, (tx, append) => store.programTasks.record(tx, append, program, lines)),
      end: () => store.change(sessionId, (tx, append) => store.programTasks.ended(tx, append, id)),
    };
  }
  const statusOf = async (id: string) =>
    (await store.tasks.standing(localUser, id)) ?? assert.fail('there is no such task');
  const drive = (sessionId: string, programId?: string) =>
    store.change(sessionId, (tx) => store.programs.drive(tx, sessionId, programId));
  const newTask = (sessionId: string) =>
    store.change(sessionId, (tx) =>
      store.tasks.create(tx, localUser, {
        ...{ id: newId(), sessionId, title: 'x', prompt: 'x', plan: { steps: [] }, settings: {}, totalSteps: 0 },
      }),
    );
  const cancel = (sessionId: string, taskId: string) =>
    store.change(sessionId, (tx, append) => store.cancels.cancel(tx, append, { taskId }, 'enough'));

  it('begins with the first act, has a line for each in order, and ends when the program leaves', async () => {
    const program = await connect();
    const first = await program.record(lineOf(click('One')), lineOf(click('Two')));
    assert.ok(first);
    const refused = { status: 'failed', error: 'a person drives' } as const;
    await program.record(lineOf(click('Three'), { agoMs: 40, runMs: 15 }), lineOf(click('Four'), refused));
    const { task, lines } = await statusOf(first.task.id);
    assert.deepEqual([task.status, task.current_step, task.total_steps], ['running', 4, 4]);
    assert.equal(task.current_step_title, 'Click "button Four"');
    assert.deepEqual(
      lines.map(({ index, status, error, run_ms, epoch }) => [index, status, error, run_ms, epoch]),
      [
        [1, 'success', null, 0, 2],
        [2, 'success', null, 0, 2],
        [3, 'success', null, 15, 2],
        [4, 'failed', 'a person drives', 0, 2],
      ],
    );
    const times = lines.map(({ intent_at }) => intent_at.getTime());
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
    assert.equal((await store.sessions.byId(program.sessionId))?.last_task_id, task.id);
    await program.end();
    const ended = await statusOf(task.id);
    assert.deepEqual([ended.task.status, ended.task.last_error], ['success', null]);
    assert.equal(await program.end(), undefined, 'once');
    const [execution] = await store.executions.listOf(task.id);
    assert.deepEqual([execution?.outcome, execution?.host_id], ['success', 'h1']);
  });

  it('has each line once, also where it is written again after an answer that was lost', async () => {
    const program = await connect();
    const lines = [lineOf(click('One')), lineOf(click('Two'))];
    const first = await program.record(...lines);
    const again = await program.record(...lines);
    assert.ok(first && again);
    assert.equal(again.attempt.index, first.attempt.index);
    assert.equal((await statusOf(first.task.id)).lines.length, 2);
    await program.end();
  });

  it('is told in the log of the session as the steps of agents are', async () => {
    const program = await connect();
    const bbox = { x: 1, y: 2, width: 3, height: 4 };
    await program.record(lineOf(click('One'), { bbox, point: { x: 2, y: 3 } }));
    await program.record(lineOf(click('Two'), { status: 'failed', error: 'why' }));
    await program.end();
    const events = await store.events.last(program.sessionId, 100);
    const kinds = events.map(({ kind }) => kind);
    const begun = ['status', 'status', 'status', 'step', 'agent_history', 'log', 'overlay'];
    const failed = ['status', 'step', 'agent_history', 'log'];
    assert.deepEqual(kinds, [...begun, ...failed, 'result', 'log', 'message_state', 'status']);
    const drawn = events.find(({ kind }) => kind === 'overlay') ?? assert.fail('nothing is drawn');
    const { overlay } = drawn.data as { overlay: Record<string, unknown> };
    assert.deepEqual(
      [overlay.kind, overlay.label, overlay.bbox, overlay.point, overlay.source, overlay.step_id],
      ['click', 'Click "button One"', bbox, { x: 2, y: 3 }, 'execution', 'step-1'],
    );
  });

  it('keeps neither the program nor agents from the session', async () => {
    const program = await connect();
    const { sessionId } = program;
    const opened = await drive(sessionId, program.id);
    assert.ok(await program.record(lineOf(click('One'))));
    assert.equal((await store.programs.stateOf(sessionId))?.isTaken, false);
    assert.equal((await drive(sessionId, program.id))?.epoch, opened?.epoch);
    const task = await newTask(sessionId);
    assert.ok(task.run_due_at, 'an agent begins at once');
    assert.equal(await drive(sessionId, program.id), undefined, 'and the program is fenced by it');
    const open = await store.transaction((tx) => store.tasks.openInSession(tx, sessionId));
    assert.equal(open, 1);
    const { tasks } = await store.transaction((tx) => store.quotas.held(tx, localUser.id));
    await program.end();
    assert.equal((await store.transaction((tx) => store.quotas.held(tx, localUser.id))).tasks, tasks);
    await cancel(sessionId, task.id);
  });

  it('is run by no agent, however long nothing happens in it', async () => {
    const program = await connect();
    const recorded = await program.record(lineOf(click('One')));
    assert.ok(recorded);
    await store.transaction(({ client }) =>
      client.query(`update tasks set updated_at = now() - interval '1 hour' where id = $1`, [recorded.task.id]),
    );
    assert.deepEqual(
      (await store.stuck.find(1000)).filter(({ id }) => id === recorded.task.id),
      [],
    );
    const about = { sessionId: program.sessionId, taskId: null, holderId: localUser.id, reason: null, leaseSecs: 60 };
    await store.change(program.sessionId, (tx, append) =>
      store.takeovers.request(tx, append, { ...about, tokenHash: randomBytes(32) }),
    );
    const claimed = await store.queue.claim(newId(), 100);
    assert.ok(!claimed.some(({ id }) => id === recorded.task.id));
    assert.equal((await statusOf(recorded.task.id)).takeover?.status, 'requested', 'it shows who takes over');
    await program.end();
  });

  it('is followed by another where it is full', async () => {
    const program = await connect();
    const lines = Array.from({ length: maxSteps - 1 }, (_, n) => lineOf(click(`Button ${n}`)));
    const first = await program.record(...lines);
    const second = await program.record(lineOf(click('One')), lineOf(click('Two')));
    assert.ok(first && second);
    assert.notEqual(first.task.id, second.task.id);
    assert.equal((await statusOf(first.task.id)).task.status, 'success');
    const { task } = await statusOf(second.task.id);
    assert.deepEqual([task.status, task.current_step], ['running', 2]);
    await program.end();
  });

  it('ends with a cancel, and its program gets neither the wheel nor another task', async () => {
    const program = await connect();
    const recorded = await program.record(lineOf(click('One')));
    assert.ok(recorded && (await drive(program.sessionId, program.id)));
    const [cancelled] = await cancel(program.sessionId, recorded.task.id);
    assert.equal(cancelled?.status, 'cancelled');
    const stopped = await store.change(program.sessionId, (tx) => store.programs.stop(tx, program.sessionId));
    assert.ok(stopped);
    assert.equal(await drive(program.sessionId, program.id), undefined);
    assert.equal(await program.record(lineOf(click('Two'))), undefined);
    assert.ok(!(await store.programs.seen([program.id])).has(program.id), 'its server hears of it');
    assert.equal((await statusOf(recorded.task.id)).lines.length, 1);
  });

  it('does not stop an agent that drives when it is cancelled', async () => {
    const program = await connect();
    const recorded = await program.record(lineOf(click('One')));
    assert.ok(recorded);
    const before = (await store.programs.stateOf(program.sessionId))?.epoch;
    await cancel(program.sessionId, recorded.task.id);
    assert.equal(await store.change(program.sessionId, (tx) => store.programs.stop(tx, program.sessionId)), undefined);
    assert.equal((await store.programs.stateOf(program.sessionId))?.epoch, before);
  });

  it('is found when its server is gone, and says that lines may be missing', async () => {
    const [lost, well] = [await connect(), await connect()];
    const [left, kept] = [await lost.record(lineOf(click('One'))), await well.record(lineOf(click('One')))];
    assert.ok(left && kept);
    await store.transaction(({ client }) =>
      client.query(
        `with old as (update tasks set updated_at = now() - interval '1 minute' where id = any($1))
         update program_connections set seen_at = now() - interval '1 minute' where id = $2`,
        [[left.task.id, kept.task.id], lost.id],
      ),
    );
    const found = await store.programTasks.unattended();
    assert.deepEqual(found, [{ id: left.task.id, sessionId: lost.sessionId }]);
    assert.equal((await store.glance(newId(), 1000)).hasPrograms, true);
    await store.change(lost.sessionId, (tx, append) => store.programTasks.lost(tx, append, left.task.id));
    const { task } = await statusOf(left.task.id);
    assert.equal(task.status, 'failed');
    assert.match(task.last_error ?? '', /connection of the program was lost/);
    assert.deepEqual(await store.programTasks.unattended(), []);
    await well.end();
  });
});
