import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { IrreversibleAnswer, type MessageState, type Step } from '@pilothouse/contract';
import { isApiError } from '@pilothouse/sdk';
import { answersOf, type DriverChange, messageStateOf, newId, progressOf, questionOf } from '@pilothouse/store';
import { isDue, takeRun } from '@pilothouse/store/testing/runs';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const steps: Step[] = [{ action: 'screenshot' }, { action: 'reload' }];
const question = { text: 'Which one?', stepId: 'step-1', expiresInSecs: 3600 };

describe('commands to a task', () => {
  let server: TestServer;
  const fences: DriverChange[] = [];
  before(async () => {
    server = await startTestServer({ isAuthDisabled: true, onCancelled: (fence) => fences.push(fence) });
  });
  after(() => server.close());

  const chat = (session_id?: string) => server.client.sendChat({ prompt: 'look', steps, session_id });
  const statusOf = async (id: string) => (await server.client.getTaskStatus({ id })).status;
  /** What people answered, as the conversation of the task tells it. */
  const saidIn = async (id: string) =>
    (await server.client.getMessageState({ id })).message_state.items.flatMap(({ kind, content }) =>
      kind === 'answer' ? [content] : [],
    );
  const sessionOf = async (id: string) => (await server.client.getSession({ id })).snapshot.session;
  const cancel = (id: string, reason?: string) => server.client.cancelTask({ id, reason });

  /** As an agent begins a task: with an execution, a browser at a host, and a step under way. */
  async function begin({ task_id: id, session_id }: { task_id: string; session_id: string }) {
    const { store } = server;
    await takeRun(store, id);
    const begun = await store.transaction((tx) => store.tasks.beginExecution(tx, id, randomUUID()));
    assert.ok(begun);
    const { executionId } = begun;
    const { epoch = 0 } = (await store.browsers.of(session_id)) ?? {};
    await store.transaction(async (tx) => {
      const host = { id: 'h1', bootId: randomUUID() };
      assert.ok(await store.browsers.assign(tx, session_id, host, epoch));
      const step = { taskId: id, executionId, index: 1, title: 'x' };
      assert.ok(await store.steps.begin(tx, step, { commandId: newId(), epoch: epoch + 1 }));
    });
    return { id, executionId, epoch: epoch + 1 };
  }
  const ask = (held: { id: string; executionId: string }) =>
    server.store.transaction((tx) => server.store.questions.ask(tx, held, question, { text: 'Done' }));
  const isTaskDue = (taskId: string): Promise<boolean> => isDue(server.store, taskId);
  const eventsOf = async (sessionId: string, taskId: string) =>
    (await server.store.events.after(sessionId, 0, { limit: 100, taskId })).map(({ kind, data }) => ({ kind, data }));

  it('cancel a task that waits for its turn: it never begins, and others go on', async () => {
    const first = await chat();
    const held = await begin(first);
    const second = await chat(first.session_id);
    const before = fences.length;
    const { status } = await cancel(second.task_id, 'not needed');
    assert.equal(status.status, 'cancelled');
    assert.equal(status.last_error, 'not needed');
    assert.equal(status.started_at, null);
    assert.ok(status.finished_at);
    assert.equal(
      await server.store.transaction((tx) => server.store.tasks.beginExecution(tx, second.task_id, randomUUID())),
      undefined,
    );
    assert.equal((await statusOf(first.task_id)).status, 'running');
    assert.equal((await sessionOf(first.session_id)).status, 'active');
    assert.equal((await server.store.browsers.of(first.session_id))?.epoch, held.epoch, 'its browser is left alone');
    assert.equal(fences.length, before);
    await assert.rejects(cancel(second.task_id), { code: 'conflict' });
  });

  it('cancel a running task: its agent can write nothing more, its host is told, and the next one is due', async () => {
    const first = await chat();
    const { id, executionId, epoch } = await begin(first);
    const next = await chat(first.session_id);
    const { status } = await cancel(id);
    assert.equal(status.status, 'cancelled');
    assert.equal(status.last_error, null);
    assert.deepEqual(fences.at(-1), { session_id: first.session_id, host_id: 'h1', epoch: epoch + 1 });
    assert.deepEqual([await isTaskDue(id), await isTaskDue(next.task_id)], [false, true]);
    const { store } = server;
    for (const move of ['finish', 'fail', 'ask'] as const)
      assert.equal(await store.transaction((tx) => store.tasks.move(tx, { id, executionId }, move)), undefined, move);
    assert.equal(
      await store.transaction((tx) => store.steps.hold(tx, { taskId: id, executionId, index: 2, title: 'x' })),
      undefined,
    );
    await store.transaction((tx) => store.browsers.saveState(tx, first.session_id, epoch, { storage: {}, pages: [] }));
    assert.equal(await store.transaction((tx) => store.browsers.stateOf(tx, first.session_id)), null);
    const [line] = await store.steps.of(id);
    assert.equal(line?.status, 'interrupted');
    assert.deepEqual(
      status.agent_history.map((entry) => [entry.status, entry.message]),
      [['interrupted', 'The task was cancelled.']],
    );
    // The next task finds the session as it was left.
    assert.equal((await sessionOf(first.session_id)).status, 'active');
    assert.equal((await statusOf(next.task_id)).status, 'pending');
    await cancel(next.task_id);
    assert.equal((await sessionOf(first.session_id)).status, 'idle');
  });

  it('cancel once: a second cancel, or one after the end, is refused and changes nothing', async () => {
    const first = await chat();
    const { id, executionId } = await begin(first);
    await server.store.transaction((tx) => server.store.tasks.move(tx, { id, executionId }, 'finish'));
    const before = await eventsOf(first.session_id, id);
    await assert.rejects(cancel(id), { code: 'conflict', status: 409 });
    assert.deepEqual(await eventsOf(first.session_id, id), before);
    assert.equal((await statusOf(id)).status, 'success');
  });

  it('cancel a task that waits for a person', async () => {
    const first = await chat();
    const held = await begin(first);
    assert.equal((await ask(held))?.status, 'awaiting_user');
    assert.equal((await statusOf(held.id)).question?.text, question.text);
    const { status } = await cancel(held.id);
    assert.equal(status.status, 'cancelled');
    assert.equal(status.question, null);
    const told = (await eventsOf(first.session_id, held.id)).findLast(({ kind }) => kind === 'message_state');
    const { message_state } = (told?.data ?? {}) as { message_state?: MessageState };
    assert.equal(message_state?.pending_question, null, 'who shows the question learns that it is gone');
    assert.deepEqual(message_state, (await server.client.getMessageState({ id: held.id })).message_state);
    await assert.rejects(server.client.signalTakeover({ id: held.id, answer: 'late' }), { code: 'conflict' });
    await assert.rejects(cancel(held.id), { code: 'conflict' });
  });

  it('leave the next task of the session first in the queue', async () => {
    const first = await chat();
    const second = await chat(first.session_id);
    const third = await chat(first.session_id);
    await begin(first);
    await cancel(second.task_id);
    await cancel(first.task_id);
    const waiting = [];
    for (const { task_id } of [first, second, third]) if (await isTaskDue(task_id)) waiting.push(task_id);
    assert.deepEqual(waiting, [third.task_id]);
    const begun = await begin(third);
    assert.equal((await statusOf(begun.id)).status, 'running');
  });

  it('cancel a task, and all its followers are told', async () => {
    const first = await chat();
    const { id } = await begin(first);
    await cancel(id, 'enough');
    const kinds = (await eventsOf(first.session_id, id)).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['status', 'step', 'agent_history', 'message_state', 'status']);
    const seen: string[] = [];
    for await (const event of server.client.followTask({ id })) seen.push(event.type);
    assert.equal(seen.at(-1), 'end');
  });

  it('answer the question that stands, once', async () => {
    const first = await chat();
    const held = await begin(first);
    const asked = await ask(held);
    assert.ok(asked);
    const { question: standing } = await statusOf(held.id);
    assert.ok(standing);
    assert.deepEqual(standing, { ...standing, text: question.text, step_id: 'step-1', until: { text: 'Done' } });
    const lastsMs = Date.parse(standing.expires_at ?? '') - Date.parse(standing.asked_at);
    assert.ok(Math.abs(lastsMs - 3_600_000) < 5, String(lastsMs));

    const { status, takeover } = await server.client.signalTakeover({ id: held.id, answer: 'the blue one' });
    assert.equal(status.status, 'running');
    assert.equal(status.question, null);
    assert.equal(takeover, null);
    assert.ok(await isTaskDue(held.id));
    const task = await server.store.tasks.byId(held.id);
    assert.ok(task);
    const [answer] = answersOf(task);
    assert.equal(answer?.text, 'the blue one');
    assert.equal(answer?.step_id, 'step-1');
    assert.equal(task.execution_id, held.executionId, 'the agent that asked goes on');
    const said = (await eventsOf(first.session_id, held.id)).slice(-2);
    assert.deepEqual(said, [
      { kind: 'status', data: { status: progressOf(task) } },
      { kind: 'message_state', data: { message_state: messageStateOf(task, [], []) } },
    ]);
    assert.deepEqual(
      messageStateOf(task, [], []).items.map(({ kind, content }) => [kind, content]),
      [
        ['prompt', 'look'],
        ['question', question.text],
        ['answer', 'the blue one'],
      ],
    );
    await assert.rejects(server.client.signalTakeover({ id: held.id, answer: 'again' }), { code: 'conflict' });
  });

  it('refuse an answer without a question; a message answers a question, or else begins a takeover', async () => {
    const first = await chat();
    const answer = (body: object) => server.client.signalTakeover({ id: first.task_id, ...body });
    await assert.rejects(answer({ answer: 'x' }), { code: 'conflict' }, 'pending');
    const held = await begin(first);
    await assert.rejects(answer({ answer: 'x' }), { code: 'conflict' }, 'running');
    await ask(held);
    assert.equal((await answer({ message: 'x' })).status.status, 'running');
    await ask(held);
    const { status, takeover } = await answer({});
    assert.equal(status.status, 'takeover', 'who says nothing wants to do it themselves');
    assert.equal(takeover?.status, 'requested', 'no host answers for its browser here');
    const again = await answer({});
    assert.equal(again.takeover?.takeover_id, takeover?.takeover_id, 'said again, it is the same takeover');
  });

  it('accept one of several answers at once', async () => {
    const held = await begin(await chat());
    await ask(held);
    const answers = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => server.client.signalTakeover({ id: held.id, answer: `${i}` })),
    );
    assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.ok(await isTaskDue(held.id));
  });

  it('answer the question they name, and never the one after it', async () => {
    const held = await begin(await chat());
    await ask(held);
    // Long ago: the question after it is asked at another time.
    await server.store.transaction(({ client }) =>
      client.query(
        `update tasks set question = jsonb_set(question, '{asked_at}', '"2020-01-01T00:00:00.000Z"') where id = $1`,
        [held.id],
      ),
    );
    const { asked_at = '' } = (await statusOf(held.id)).question ?? {};
    const answer = () => server.client.signalTakeover({ id: held.id, answer: 'the blue one', asked_at });
    assert.equal((await answer()).status.status, 'running');
    await assert.rejects(answer(), { code: 'conflict' }, 'sent again, and nothing stands');
    const next = await ask(held);
    await assert.rejects(answer(), { code: 'conflict', status: 409 }, 'sent again, and another one stands');
    const { status, question: standing } = await statusOf(held.id);
    assert.equal(status, 'awaiting_user');
    assert.deepEqual(standing, next?.question);
    const named = { id: held.id, answer: 'the red one', asked_at: standing?.asked_at };
    assert.equal((await server.client.signalTakeover(named)).status.status, 'running');
  });

  it('answer a question with options by one of them; any other answer is refused, and the question stands', async () => {
    const { store } = server;
    const first = await chat();
    const held = await begin(first);
    const choice = { ...question, options: IrreversibleAnswer.options };
    const askChoice = () => store.transaction((tx) => store.questions.ask(tx, held, choice, null));
    await askChoice();
    const { question: standing } = await statusOf(held.id);
    assert.deepEqual(standing?.options, ['done', 'repeat', 'stop']);
    assert.equal(standing?.kind, 'doubt');
    assert.deepEqual(
      standing?.choices?.map(({ value }) => value),
      ['done', 'repeat', 'stop'],
    );
    const { message_state } = await server.client.getMessageState({ id: held.id });
    assert.deepEqual(message_state.pending_question, standing);
    const inbox = (await server.client.listInbox({ limit: 200 })).items.find(({ task_id }) => task_id === held.id);
    assert.deepEqual(inbox?.question, standing);

    const before = await eventsOf(first.session_id, held.id);
    for (const body of [
      { answer: 'no idea' },
      { answer: 'done?' },
      { answer: 'not done' },
      { answer: 'null' },
      { message: 'I am looking' },
      { message: 'I am looking', asked_at: standing?.asked_at },
    ]) {
      const refused = await server.client.signalTakeover({ id: held.id, ...body }).catch((error: unknown) => error);
      assert.ok(isApiError(refused, 'invalid_answer'), JSON.stringify(body));
      assert.equal(refused.status, 422);
      assert.equal(refused.message, 'The answer must be one of done, repeat, stop.');
      const pointer = `/body/${'answer' in body ? 'answer' : 'message'}`;
      assert.deepEqual(refused.errors, [{ pointer, message: 'must be one of done, repeat, stop' }]);
    }
    assert.deepEqual(await eventsOf(first.session_id, held.id), before);
    assert.ok(!(await isTaskDue(held.id)));
    const other = { id: held.id, answer: 'no idea', asked_at: new Date(0).toISOString() };
    await assert.rejects(server.client.signalTakeover(other), { code: 'conflict' }, 'of a question that is gone');

    assert.equal((await server.client.signalTakeover({ id: held.id, answer: ' Done\n' })).status.status, 'running');
    await askChoice();
    assert.equal((await server.client.signalTakeover({ id: held.id, message: 'STOP' })).status.status, 'running');
    const task = await store.tasks.byId(held.id);
    assert.ok(task);
    assert.deepEqual(
      answersOf(task).map(({ text }) => text),
      ['done', 'stop'],
    );
    assert.deepEqual(
      await saidIn(held.id),
      ['It was done: go on', 'End the task'],
      'the conversation has the words of the choice',
    );
    await askChoice();
    const { takeover } = await server.client.signalTakeover({ id: held.id });
    assert.ok(takeover, 'without a text a takeover begins');
  });

  it('answer a question with choices by the value of one of them, and know what kind of question it is', async () => {
    const { store } = server;
    const held = await begin(await chat());
    const choices = [
      { value: 'red', label: 'The red one' },
      { value: 'blue', label: 'The blue one' },
    ];
    await store.transaction((tx) => store.questions.ask(tx, held, { ...question, choices }, null));
    const { question: standing } = await statusOf(held.id);
    assert.equal(standing?.kind, 'question');
    assert.equal(standing?.options, null, 'for clients that know options only, it takes words');
    assert.deepEqual(standing?.choices, choices);
    for (const answer of ['green', 'The red one', '"red"', 'value'])
      await assert.rejects(server.client.signalTakeover({ id: held.id, answer }), {
        code: 'invalid_answer',
        message: 'The answer must be one of red, blue.',
      });
    assert.equal((await server.client.signalTakeover({ id: held.id, answer: ' Blue ' })).status.status, 'running');
    const task = await store.tasks.byId(held.id);
    assert.equal(task && answersOf(task).at(-1)?.text, 'blue');
    assert.deepEqual(await saidIn(held.id), ['The blue one']);
    await store.transaction((tx) => store.questions.ask(tx, held, question, { text: 'Welcome' }));
    assert.equal(
      (await statusOf(held.id)).question?.kind,
      'drive',
      'the person does something until the page shows it',
    );
  });

  it('answer a question with choices that takes words by a choice or by words', async () => {
    const { store } = server;
    const held = await begin(await chat());
    const choices = ['Red', 'Blue'].map((value) => ({ value, label: value }));
    const given: (string | null | undefined)[] = [];
    for (const answer of ['Blue', 'Neither, thanks', 'null']) {
      await store.transaction((tx) =>
        store.questions.ask(tx, held, { ...question, kind: 'choice', choices, takesWords: true }, null),
      );
      const { question: standing } = await statusOf(held.id);
      assert.deepEqual([standing?.kind, standing?.choices, standing?.takes_words], ['choice', choices, true]);
      assert.equal((await server.client.signalTakeover({ id: held.id, answer })).status.status, 'running');
      const task = await store.tasks.byId(held.id);
      given.push(task && answersOf(task).at(-1)?.text);
    }
    assert.deepEqual(given, ['Blue', 'Neither, thanks', 'null']);
    assert.deepEqual(await saidIn(held.id), given);
  });

  it('agree to a plan by a yes, or by the plan as a person has changed it, and to nothing else so', async () => {
    const { store } = server;
    const held = await begin(await chat());
    const planItems = [{ text: 'Look', site: 'a.test' }, { text: 'Buy' }];
    const choices = [{ value: 'yes', label: 'Start' }];
    const plan = { ...question, kind: 'plan', choices, takesWords: false, planItems } as const;
    const propose = () => store.transaction((tx) => store.questions.ask(tx, held, plan, null));
    const agreed = async () => (await store.tasks.byId(held.id))?.plan_agreed_at ?? null;

    await ask(held);
    const changed = { id: held.id, plan_items: ['Buy', 'Look', 'Pack it'] };
    await assert.rejects(server.client.signalTakeover(changed), { code: 'conflict' }, 'another kind of question');
    await server.client.signalTakeover({ id: held.id, answer: 'yes' });
    assert.equal(await agreed(), null, 'a yes to another question');

    await propose();
    const { question: standing, plan_items } = await statusOf(held.id);
    assert.deepEqual([standing?.kind, standing?.plan_items, plan_items], ['plan', planItems, planItems]);
    const inbox = (await server.client.listInbox({ limit: 200 })).items.find(({ task_id }) => task_id === held.id);
    assert.deepEqual(inbox?.question?.plan_items, planItems);
    for (const body of [{ plan_items: [] }, { plan_items: [''] }, { plan_items: ['x'], answer: 'yes' }])
      await assert.rejects(server.client.signalTakeover({ id: held.id, ...body }), { code: 'validation_failed' });
    await assert.rejects(server.client.signalTakeover({ id: held.id, answer: 'no' }), { code: 'invalid_answer' });
    const old = { ...changed, asked_at: new Date(0).toISOString() };
    await assert.rejects(server.client.signalTakeover(old), { code: 'conflict' }, 'a plan that is gone');
    assert.equal(await agreed(), null);
    const { status } = await server.client.signalTakeover({ ...changed, asked_at: standing?.asked_at });
    assert.equal(status.status, 'running');
    assert.deepEqual(status.plan_items, [{ text: 'Buy' }, { text: 'Look', site: 'a.test' }, { text: 'Pack it' }]);
    assert.ok(await agreed());
    assert.ok(await isTaskDue(held.id));
    await assert.rejects(server.client.signalTakeover(changed), { code: 'conflict' }, 'nothing is asked');
    await propose();
    await server.client.signalTakeover({ id: held.id, answer: 'yes' });
    assert.deepEqual((await saidIn(held.id)).slice(1), [
      'Yes, with changes:\n1. Buy\n2. Look (a.test)\n3. Pack it',
      'Start',
    ]);
  });

  it('answer a question of an earlier release, which has no options, with any text', async () => {
    const held = await begin(await chat());
    await ask(held);
    await server.store.transaction(({ client }) =>
      client.query(`update tasks set question = question - 'options' - 'kind' - 'choices' where id = $1`, [held.id]),
    );
    const { question: standing } = await statusOf(held.id);
    assert.equal(standing?.options, null);
    assert.equal(standing?.choices, null);
    assert.equal(standing?.kind, 'drive', 'the page can end the wait');
    assert.equal((await server.client.signalTakeover({ id: held.id, answer: 'Go on' })).status.status, 'running');
  });

  it('close a question without an answer only for the agent that has the task', async () => {
    const held = await begin(await chat());
    await ask(held);
    const task = await server.store.tasks.byId(held.id);
    const askedAt = (task && questionOf(task)?.asked_at) ?? '';
    const settle = (executionId: string, at = askedAt) =>
      server.store.transaction((tx) => server.store.questions.answered(tx, { id: held.id, executionId, askedAt: at }));
    assert.equal(await settle(newId()), undefined);
    assert.equal(await settle(held.executionId, new Date(0).toISOString()), undefined, 'nor for another question');
    const settled = await settle(held.executionId);
    assert.equal(settled?.status, 'running');
    assert.ok(settled);
    assert.equal(answersOf(settled)[0]?.text, null);
    assert.equal(await ask({ id: held.id, executionId: newId() }), undefined, 'nor may another ask');
  });
});
