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

  it('is handed back with a note, which is shown once in the conversation and in the streams', async () => {
    const task = await begin();
    const { takeover } = await one.client.signalTakeover({ id: task.id });
    const { cursor } = await statusOf(task.id);
    await one.client.resumeTakeover({ id: task.id, resume_token: takeover?.resume_token, note: 'I have logged in' });
    await other.client.resumeTakeover({ id: task.id, note: 'I have logged in' });
    const { items } = (await other.client.getMessageState({ id: task.id })).message_state;
    const notes = items.filter(({ kind }) => kind === 'note');
    assert.deepEqual(
      notes.map(({ role, content }) => [role, content]),
      [['user', 'I have logged in']],
    );
    const { snapshot } = await other.client.getSession({ id: task.session_id });
    assert.deepEqual(snapshot.message_state?.items, items);
    for await (const event of other.client.followTask({ id: task.id, cursor })) {
      if (event.type !== 'message_state') continue;
      assert.deepEqual(event.message_state.items, items);
      break;
    }
    const [row] = await one.store.taskMessages.of(task.id);
    assert.equal(row?.author_id, localUser.id, 'the author is known');
  });

  it('that is requested becomes one at once, if the same person acts now', async () => {
    const task = await begin();
    const before = task.browser.epoch();
    const { takeover: asked } = await one.client.requestTakeover({ id: task.id, reason: 'to log in', client_id: 'a' });
    const { takeover, status } = await other.client.signalTakeover({ id: task.id, client_id: 'b' });
    assert.equal(takeover?.takeover_id, asked.takeover_id);
    assert.equal(takeover?.status, 'active');
    assert.equal(takeover?.reason, 'to log in');
    assert.equal(takeover?.client_id, 'b');
    assert.equal(takeover?.resume_token, undefined, 'the token was shown when it was requested');
    assert.equal(status.status, 'takeover');
    assert.ok(!task.browser.mayAct(before));
    assert.ok(!(await one.store.tasks.isHeld(task.id, task.executionId)));
    const { takeover: again } = await one.client.signalTakeover({ id: task.id });
    assert.equal(again?.takeover_id, asked.takeover_id, 'who drives already has what they ask for');
    assert.equal(again?.epoch, takeover?.epoch);
    const { takeover: back } = await one.client.resumeTakeover({ id: task.id, resume_token: asked.resume_token });
    assert.equal(back.status, 'resuming');
    await assert.rejects(one.client.signalTakeover({ id: task.id }), { code: 'takeover_conflict' });
  });

  it('that another person has requested, or that has expired, does not become one at once', async () => {
    const task = await begin();
    const { takeover } = await one.client.requestTakeover({ id: task.id });
    const set = (change: string, ...values: unknown[]) =>
      one.store.transaction(({ client }) =>
        client.query(`update takeovers set ${change} where id = $1`, [takeover.takeover_id, ...values]),
      );
    const stranger = await one.store.transaction((tx) =>
      one.store.users.create(tx, {
        username: `s${Date.now()}`,
        email: `s${Date.now()}@example.test`,
        passwordHash: 'x',
      }),
    );
    assert.ok(stranger);
    await set('holder_id = $2', stranger.id);
    await assert.rejects(one.client.signalTakeover({ id: task.id }), { code: 'takeover_conflict' });
    await set(`holder_id = $2, expires_at = clock_timestamp() - interval '1 ms'`, localUser.id);
    await assert.rejects(one.client.signalTakeover({ id: task.id }), { code: 'takeover_conflict' });
    assert.ok(await one.store.tasks.isHeld(task.id, task.executionId), 'the agent goes on');
  });

  it('leaves one that the agent has stopped for already to the agent, and is not refused', async () => {
    const task = await begin();
    await one.client.requestTakeover({ id: task.id });
    const { store } = one;
    const stopped = await store.change(task.session_id, async (tx, append) => {
      const standing = await store.takeovers.standing(tx, task.session_id);
      assert.ok(standing);
      return store.takeovers.stop(tx, append, standing, { from: ['running'] });
    });
    const { takeover } = await other.client.signalTakeover({ id: task.id });
    assert.equal(takeover?.status, 'requested');
    assert.equal(
      (await store.takeovers.standingOf(task.session_id))?.epoch,
      stopped?.epoch,
      'nothing was stopped twice',
    );
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
      const granted = (await Promise.allSettled(asks)).flatMap((one) =>
        one.status === 'fulfilled' && one.value ? one.value : [],
      );
      assert.equal(new Set(granted.map(({ takeover_id }) => takeover_id)).size, 1, `round ${round}`);
      assert.equal(granted.filter(({ resume_token }) => resume_token).length, 1, 'its token is shown once');
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
