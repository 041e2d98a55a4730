import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ProgramAct, ProgramReport } from '@pilothouse/bus';
import type { HostClient } from '@pilothouse/fleet';
import { createLog } from '@pilothouse/process';
import { localUser, newId, openStore, type Store } from '@pilothouse/store';
import { createTestDatabase, type TestDatabase } from '@pilothouse/store/testing';
import { until } from '../../../../testkit/until.ts';
import { createProgramLedger } from './program-ledger.ts';

const press = (key: string): ProgramAct => ({
  ...{ kind: 'press', outcome: 'done', error: null, ago_ms: 5, run_ms: 1, count: 1, key },
});
const reportOf = (...keys: string[]): ProgramReport => ({ epoch: 2, acts: keys.map(press) });
/** A host that shows no picture. */
const hosts = { look: async () => ({ type: 'unanswered', reason: 'timeout', mayHaveActed: false }) } as unknown;

describe('the ledger of a program', () => {
  let database: TestDatabase;
  let store: Store;
  before(async () => {
    database = await createTestDatabase();
    store = openStore({ url: database.url, blobDir: '/nonexistent', poolSize: 5, onError: () => {} });
    await store.users.ensureLocal();
  });
  after(async () => {
    await store.close();
    await database.close();
  });

  async function open(used: Store = store) {
    const [sessionId, id] = [newId(), newId()];
    await store.change(sessionId, (tx) =>
      store.sessions.create(tx, localUser, { id: sessionId, viewport: { width: 1, height: 1 } }),
    );
    await store.programs.connected(id, sessionId, localUser.id);
    let disconnects = 0;
    const ledger = createProgramLedger({
      ...{ store: used, hosts: hosts as HostClient, log: createLog('test', 'silent') },
      program: { id, sessionId, userId: localUser.id },
      onDisconnected: () => {
        disconnects += 1;
      },
    });
    const task = async () => {
      const { last_task_id } = (await store.sessions.byId(sessionId)) ?? assert.fail('no session');
      return last_task_id ? store.tasks.standing(localUser, last_task_id) : undefined;
    };
    const titles = async () => {
      const { task: row } = (await task()) ?? assert.fail('no task');
      return (row.plan as { steps: { title: string }[] }).steps.map(({ title }) => title);
    };
    return { ...ledger, id, sessionId, task, titles, disconnects: () => disconnects };
  }

  it('writes reports in the order in which they came, and ends the task after the last', async () => {
    const program = await open();
    program.take(reportOf('A1', 'B2'), 'h1');
    program.take(reportOf('C3'), 'h1');
    program.take(reportOf('D4'), 'h1');
    await program.end();
    assert.deepEqual(await program.titles(), ['Press A1', 'Press B2', 'Press C3', 'Press D4']);
    assert.equal((await program.task())?.task.status, 'success');
  });

  it('begins no task for a program that did nothing', async () => {
    const program = await open();
    await program.end();
    assert.equal(await program.task(), undefined);
  });

  it('writes a report once where the database fails, also after it has written it', async () => {
    let calls = 0;
    const change: Store['change'] = async (sessionId, work) => {
      calls += 1;
      if (calls === 1) throw new Error('the database is away');
      const done = await store.change(sessionId, work);
      if (calls === 2) throw new Error('the answer was lost');
      return done;
    };
    const program = await open({ ...store, change });
    program.take(reportOf('A1', 'B2'), 'h1');
    program.take(reportOf('C3'), 'h1');
    await until(async () => ((await program.task())?.lines.length ?? 0) === 3, 10_000);
    await program.end();
    assert.deepEqual(await program.titles(), ['Press A1', 'Press B2', 'Press C3']);
  });

  it('disconnects a program whose task was cancelled, and writes nothing more', async () => {
    const program = await open();
    program.take(reportOf('A1'), 'h1');
    await until(async () => ((await program.task())?.lines.length ?? 0) === 1, 10_000);
    const { task } = (await program.task()) ?? assert.fail('no task');
    await store.change(program.sessionId, (tx, append) => store.cancels.cancel(tx, append, { taskId: task.id }, null));
    program.take(reportOf('B2'), 'h1');
    await until(() => program.disconnects() === 1, 10_000);
    program.take(reportOf('C3'), 'h1');
    await program.end();
    assert.deepEqual([(await program.titles()).length, (await program.task())?.task.status], [1, 'cancelled']);
  });
});
