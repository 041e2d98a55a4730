import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { localUser } from '@pilothouse/store';
import { isDue, takeRun } from '@pilothouse/store/testing/runs';
import { type DrivenHost, startDrivenHost } from '../../testing/driven-host.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const question = { text: 'Which one?', stepId: 'step-1', expiresInSecs: 3600 };

describe('the takeover of a task', () => {
  let one: TestServer;
  let other: TestServer;
  let host: DrivenHost;
  before(async () => {
    one = await startTestServer({ isAuthDisabled: true });
    other = await one.another();
    host = await startDrivenHost(one);
  });
  after(async () => {
    await host.close();
    await one.close();
  });

  /** As an agent begins a task, with a browser at the host. */
  async function begin() {
    const { task_id: id, session_id } = await one.client.sendChat({ prompt: 'x', steps: [{ action: 'reload' }] });
    const { store } = one;
    await takeRun(store, id);
    const begun = await store.change(session_id, async (tx) => {
      await store.sessions.move(tx, session_id, 'work');
      return store.tasks.beginExecution(tx, id, randomUUID());
    });
    assert.ok(begun);
    const browser = await host.open(session_id);
    const held = { id, executionId: begun.executionId };
    return {
      ...held,
      session_id,
      browser,
      ask: () => store.transaction((tx) => store.questions.ask(tx, held, question, null)),
    };
  }
  const statusOf = async (id: string) => (await other.client.getTaskStatus({ id })).status;
  const isTaskDue = (id: string): Promise<boolean> => isDue(one.store, id);

  it('that is requested waits for the agent, and disturbs no step', async () => {
    const task = await begin();
    const { takeover } = await one.client.requestTakeover({ id: task.id, requested_by: 'Ann', reason: 'to log in' });
    assert.equal(takeover.status, 'requested');
    assert.equal(takeover.requested_by, 'Ann');
    assert.equal(takeover.held_by, null);
    const lastsMs = Date.parse(takeover.expires_at) - Date.parse(takeover.requested_at);
    assert.ok(Math.abs(lastsMs - 300_000) < 50, String(lastsMs));
    const status = await statusOf(task.id);
    assert.equal(status.status, 'running');
    const { resume_token, ...shown } = takeover;
    assert.deepEqual(status.takeover, shown, 'and its token is shown once');
    assert.ok(resume_token);
    assert.ok(await one.store.tasks.isHeld(task.id, task.executionId));
    await assert.rejects(other.client.requestTakeover({ id: task.id }), { code: 'takeover_conflict', status: 409 });
    await assert.rejects(other.client.signalTakeover({ id: task.id }), { code: 'takeover_conflict' });
    const withdrawn = await other.client.resumeTakeover({ id: task.id });
    assert.equal(withdrawn.takeover.status, 'ended');
    assert.equal((await statusOf(task.id)).takeover, null);
  });

  it('is active at once if the task waits for a person, and after it the question stands', async () => {
    const task = await begin();
    await task.ask();
    const { takeover } = await one.client.requestTakeover({ id: task.id });
    assert.equal(takeover.status, 'active');
    const during = await statusOf(task.id);
    assert.equal(during.status, 'takeover');
    assert.equal(during.question?.text, question.text);
    await other.client.movePointer({ id: task.session_id, action: 'click', x: 1, y: 2 });
    assert.deepEqual(
      task.browser.done.map(({ epoch }) => epoch),
      [takeover.epoch],
    );
    const { takeover: back } = await other.client.resumeTakeover({ id: task.id, note: 'done' });
    assert.equal(back.status, 'ended');
    assert.equal((await statusOf(task.id)).status, 'awaiting_user', 'the question still stands');
    assert.ok(!(await isTaskDue(task.id)), 'until it is answered, there is nothing to do');
  });

  it('interrupts a step if the person acts now: the host is told, and the agent can write nothing more', async () => {
    const task = await begin();
    const before = task.browser.epoch();
    const { takeover, status } = await one.client.signalTakeover({ id: task.id, message: 'let me' });
    assert.equal(takeover?.status, 'active');
    assert.equal(takeover?.reason, 'let me');
    assert.equal(status.status, 'takeover');
    assert.equal(task.browser.epoch(), takeover?.epoch);
    assert.ok(!task.browser.mayAct(before));
    assert.ok(!(await one.store.tasks.isHeld(task.id, task.executionId)));
    const { takeover: back } = await one.client.resumeTakeover({ id: task.id, resume_token: takeover?.resume_token });
    assert.equal(back.status, 'resuming', 'until the agent has looked');
    assert.equal((await statusOf(task.id)).status, 'running');
    assert.ok(await isTaskDue(task.id));
    assert.equal((await one.client.resumeTakeover({ id: task.id })).takeover.status, 'resuming', 'said again');
  });

  it('is in the inbox while a person has to act, longest wait first', async () => {
    const [first, second] = [await begin(), await begin()];
    await first.ask();
    await one.client.signalTakeover({ id: second.id });
    const { items } = await other.client.listInbox({ limit: 200 });
    const mine = items.filter(({ task_id }) => task_id === first.id || task_id === second.id);
    assert.deepEqual(
      mine.map(({ task_id, status, question: asked, takeover }) => [task_id, status, asked?.text, takeover?.status]),
      [
        [first.id, 'awaiting_user', question.text, undefined],
        [second.id, 'takeover', undefined, 'active'],
      ],
    );
    assert.ok(mine.every(({ waiting_since }) => !Number.isNaN(Date.parse(waiting_since))));
    await one.client.cancelTask({ id: first.id });
    await one.client.cancelTask({ id: second.id });
    const left = (await other.client.listInbox({ limit: 200 })).items.map(({ task_id }) => task_id);
    assert.ok(!left.includes(first.id) && !left.includes(second.id));
    const { session } = (await one.client.getSession({ id: second.session_id })).snapshot;
    assert.equal(session.status, 'idle', 'a cancelled task leaves its session at rest');
  });

  it('has one holder, if several ask at two servers in different ways', async () => {
    const task = await begin();
    for (let round = 0; round < 8; round += 1) {
      const asks = [one, other, one, other].map((server, index) =>
        index % 2 === 0
          ? server.client.signalTakeover({ id: task.id }).then(({ takeover }) => takeover)
          : server.client.requestTakeover({ id: task.id }).then(({ takeover }) => takeover),
      );
      const granted = (await Promise.allSettled(asks)).filter(({ status }) => status === 'fulfilled');
      assert.equal(granted.length, 1, `round ${round}`);
      const backs = await Promise.allSettled([one, other].map((s) => s.client.resumeTakeover({ id: task.id })));
      assert.ok(backs.some(({ status }) => status === 'fulfilled'));
      // As the agent does after its look at the page.
      await one.store.change(task.session_id, async (tx, append) => {
        const standing = await one.store.takeovers.standing(tx, task.session_id);
        if (standing) await one.store.takeovers.end(tx, append, standing, { url: null, written: [] });
      });
      assert.equal((await statusOf(task.id)).status, 'running', `round ${round}`);
    }
  });

  it('is refused if the task has ended or waits for its turn', async () => {
    const task = await begin();
    const next = await one.client.sendChat({ prompt: 'x', steps: [{ action: 'reload' }], session_id: task.session_id });
    await assert.rejects(one.client.requestTakeover({ id: next.task_id }), { code: 'conflict' });
    await one.client.cancelTask({ id: task.id });
    assert.equal((await one.client.requestTakeover({ id: next.task_id })).takeover.status, 'requested', 'now it is');
    await one.client.cancelTask({ id: next.task_id });
    for (const call of [one.client.requestTakeover, one.client.signalTakeover, one.client.resumeTakeover])
      await assert.rejects(call({ id: next.task_id }), { code: 'conflict' });
  });

  it('is in the log of the task', async () => {
    const task = await begin();
    await one.client.signalTakeover({ id: task.id });
    await one.client.resumeTakeover({ id: task.id });
    const lines = (await one.store.audit.of(localUser.id)).filter(({ data }) => JSON.stringify(data).includes(task.id));
    assert.deepEqual(
      lines.map(({ event }) => event),
      ['takeover_requested', 'takeover_resumed'],
    );
    const { logs } = await one.client.listLogs({ id: task.id });
    assert.deepEqual(
      logs.map(({ message }) => message),
      [`A person has taken over (${localUser.username})`, 'The person has handed back control.'],
    );
  });
});
