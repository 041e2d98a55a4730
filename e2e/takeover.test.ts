import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BodyIn, routes, Step, Takeover } from '@pilothouse/contract';
import { type Client, createClient } from '@pilothouse/sdk';
import pg from 'pg';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { places, type SharedForm, startSharedForm } from '../testkit/pages/shared-form.ts';

/** One input, before it is counted. */
type Hand = Extract<BodyIn<typeof routes.movePointer>, { action: string }>;

describe('a person takes the wheel', () => {
  let installation: Installation;
  let site: SharedForm;
  /** One at each server. */
  let clients: Client[];
  before(async () => {
    site = await startSharedForm();
    installation = await openInstallation('wheel', { servers: 2, agents: 2, browsers: 2, sites: [site.url] });
    const { port, protocol, hostname } = new URL(installation.baseUrl);
    clients = [installation.client, createClient({ baseUrl: `${protocol}//${hostname}:${Number(port) + 1}` })];
  });
  after(async () => {
    await installation?.close();
    await site?.close();
  });

  const statusOf = async (id: string) => (await installation.client.getTaskStatus({ id })).status;
  async function until<T>(what: string, ask: () => Promise<T | undefined | false>, withinMs = 30_000): Promise<T> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const found = await ask();
      if (found) return found;
      if (performance.now() > deadline) assert.fail(`not ${what} within ${withinMs} ms`);
      await sleep(25);
    }
  }
  const untilStatus = (id: string, wanted: string, withinMs?: number) =>
    until(
      wanted,
      async () => {
        const status = await statusOf(id);
        if (status.status === 'failed' && wanted !== 'failed') assert.fail(status.last_error ?? 'failed');
        return status.status === wanted && status;
      },
      withinMs,
    );
  const untilActive = (id: string): Promise<Takeover> =>
    until('active', async () => {
      const { takeover } = (await installation.client.getSession({ id })).snapshot;
      return takeover?.status === 'active' && takeover;
    });
  const clicks = (count: number): Step[] => [
    { action: 'navigate', url: site.url },
    ...Array.from({ length: count }, (): Step => ({ action: 'click', target: 'Work' })),
  ];
  const start = (steps: Step[]) => installation.client.sendChat({ prompt: 'work', steps, max_steps: 200 });
  const touched = (kind: string, since = 0) => site.touches.filter((one) => one.kind === kind && one.at >= since);
  const press = (id: string) => installation.client.movePointer({ id, action: 'click', ...places.mine });

  /** As a person does: they see the page before they touch it. */
  async function goThere(id: string): Promise<void> {
    const since = Date.now();
    await installation.client.movePointer({ id, action: 'navigate', url: site.url });
    await until('there', async () => touched('ready', since).length > 0);
  }

  it('between two steps: the agent does nothing until it has it back, and begins with a look', async () => {
    const count = 25;
    const before = touched('agent').length;
    const { task_id: id, session_id } = await start(clicks(count));
    await until('at work', async () => touched('agent').length > before + 3);
    await installation.client.requestTakeover({ id, reason: 'to help' });
    const { takeover_id } = await untilActive(session_id);
    const since = Date.now();
    await press(session_id);
    const text = 'by hand';
    const keys = [...text].map((letter, index) => ({
      action: 'type' as const,
      text: letter,
      takeover_id,
      input_seq: index + 2,
    }));
    await installation.client.movePointer({
      id: session_id,
      action: 'click',
      ...places.field,
      takeover_id,
      input_seq: 1,
    });
    // Each at both servers, as by a client that did not hear the first answer.
    const sends = clients.flatMap((client) => keys.map((key) => client.movePointer({ id: session_id, ...key })));
    await Promise.all(sends);
    await until('typed', async () => touched('field').some(({ value }) => value === text));
    await sleep(1500);
    assert.equal(touched('agent', since).length, 0, 'the agent acted while a person had the wheel');
    assert.equal(touched('person', since).length, 1);
    const during = await statusOf(id);
    assert.equal(during.status, 'takeover');

    const back = await installation.client.resumeTakeover({ id, note: 'filled it in' });
    assert.equal(back.takeover.status, 'resuming');
    await untilStatus(id, 'success', 60_000);
    assert.equal(touched('agent').length - before, count, 'each click of the agent once');
    const { logs } = await installation.client.listLogs({ id, limit: 200 });
    const told = logs.find(({ message }) => message.includes('Fields changed: "Field". Note: filled it in'));
    assert.ok(told, JSON.stringify(logs.map(({ message }) => message)));
    const { takeover } = await statusOf(id);
    assert.equal(takeover, null);
    const { overlays } = (await installation.client.getSession({ id: session_id })).snapshot;
    assert.ok(overlays.some(({ source }) => source === 'human'));
  });

  it('in the middle of a step: it is given up at once, and begun again afterwards', async () => {
    const steps: Step[] = [
      { action: 'navigate', url: site.url },
      { action: 'navigate', url: `${site.url}/?slow_ms=4000` },
      { action: 'click', target: 'Work' },
    ];
    const took: number[] = [];
    const { task_id: id, session_id } = await start(steps);
    await until('in the slow step', async () => (await statusOf(id)).current_step === 2);
    await sleep(300);
    const since = Date.now();
    const { takeover, status } = await installation.client.signalTakeover({ id, message: 'let me' });
    took.push(Date.now() - since);
    assert.equal(takeover?.status, 'active');
    assert.equal(status.status, 'takeover');
    await goThere(session_id);
    await press(session_id);
    await until('pressed', async () => touched('person', since).length === 1);
    assert.equal(touched('agent', since).length, 0);
    await installation.client.resumeTakeover({ id });
    await untilStatus(id, 'success', 60_000);
    assert.equal(touched('agent', since).length, 1);
    console.log(`taken in the middle of a step after ${took.map(Math.round)} ms`);
  });

  it('and their hand does what hands do: keys, drags, pastes, composes, chooses, answers the page and gives it a file', async () => {
    const { session } = await installation.client.createSession();
    const { id } = session;
    await installation.client.requestSessionTakeover({ id });
    const { takeover_id } = await untilActive(id);
    await goThere(id);
    let seq = 0;
    const give = async (...actions: Hand[]) => {
      const numbered = actions.map((action) => {
        seq += 1;
        return { ...action, takeover_id, input_seq: seq };
      });
      // Sent twice at different servers; done once.
      const batch = { id, actions: numbered };
      await Promise.all(clients.map((client) => client.movePointer(batch)));
    };
    const since = Date.now();
    const seen = (kind: string, value: string) =>
      until(`${kind} ${value}`, async () => touched(kind, since).some((one) => one.value === value));
    const text = Array.from({ length: 200 }, (_, index) => 'abcdefghij '[index % 11]).join('');
    await give({ action: 'click', ...places.field });
    for (const [index, letter] of [...text].entries()) {
      const before = performance.now();
      await give({ action: 'type', text: letter });
      // Fifteen a second, as fast as people type.
      if (index % 2 === 0) await sleep(Math.max(0, 1000 / 15 - (performance.now() - before)));
    }
    await seen('field', text);
    assert.deepEqual(
      touched('field', since).map(({ value }) => value.length),
      Array.from({ length: text.length }, (_, index) => index + 1),
      'each letter once, in order',
    );
    await give({ action: 'key', key: 'a', modifiers: ['Control'] }, { action: 'paste', text: 'pasted' });
    await seen('field', 'pasted');
    await give({ action: 'key', key: 'a', modifiers: ['Control'] }, { action: 'compose', text: 'に' });
    await give({ action: 'compose', text: 'にほ' }, { action: 'type', text: '日本' });
    await seen('field', '日本');
    await give({ action: 'double_click', ...places.mine });
    await seen('double', '');
    const { drag } = places;
    await give({ action: 'move', ...drag }, { action: 'down', ...drag });
    await give({ action: 'move', x: drag.x + 40, y: drag.y }, { action: 'move', x: drag.x + 90, y: drag.y });
    await give({ action: 'up', x: drag.x + 90, y: drag.y });
    await seen('dragged', '90');
    await give(
      { action: 'click', ...places.choice },
      { action: 'key', key: 'ArrowDown' },
      { action: 'key', key: 'Enter' },
    );
    await seen('choice', 'two');
    await give({ action: 'click', ...places.question });
    await give({ action: 'answer_dialog', accept: true });
    await seen('answer', 'true');
    const files = [{ name: 'cv.txt', content_base64: Buffer.from('a life').toString('base64') }];
    await give({ action: 'click', ...places.file });
    await give({ action: 'choose_files', files });
    await seen('file', 'cv.txt: a life');
    assert.equal(touched('file', since).length, 1);
    await installation.client.resumeSessionTakeover({ id });
  });

  it('of a step that only waits, without waiting for it', async () => {
    const { task_id: id, session_id } = await start([
      { action: 'navigate', url: site.url },
      { action: 'wait', for: { secs: 3 } },
      { action: 'click', target: 'Work' },
    ]);
    await until('waiting', async () => (await statusOf(id)).current_step === 2);
    const since = Date.now();
    await installation.client.requestTakeover({ id });
    await untilActive(session_id);
    console.log(`taken from a step that waits after ${Math.round(Date.now() - since)} ms`);
    await installation.client.resumeTakeover({ id });
    await untilStatus(id, 'success', 60_000);
    assert.equal(touched('agent', since).length, 1);
  });

  it('of a session without a task, whose browser is opened for them; the task that comes waits for them', async () => {
    const { session } = await installation.client.createSession();
    const asked = await installation.client.requestSessionTakeover({ id: session.id });
    assert.equal(asked.takeover.status, 'requested');
    await untilActive(session.id);
    await goThere(session.id);
    const since = Date.now();
    await press(session.id);
    await until('pressed', async () => touched('person', since).length === 1);
    const { task_id: id } = await installation.client.sendChat({
      prompt: 'work',
      steps: [{ action: 'click', target: 'Work' }],
      session_id: session.id,
    });
    await untilStatus(id, 'takeover');
    await press(session.id);
    await sleep(1000);
    assert.equal(touched('agent', since).length, 0, 'it waits for its turn');
    await installation.client.resumeSessionTakeover({ id: session.id });
    await untilStatus(id, 'success');
    assert.equal(touched('person', since).length, 2);
    assert.equal(touched('agent', since).length, 1, 'on the page that they left');
  });

  it('and has it still when agents and the host of the browser die', async () => {
    const { task_id: id, session_id } = await start(clicks(3).concat({ action: 'wait', for: { secs: 1 } }));
    await installation.client.signalTakeover({ id });
    const { epoch } = await untilActive(session_id);
    await goThere(session_id);
    for (const agent of ['agent-1', 'agent-2']) await installation.stack.kill(agent);
    const since = Date.now();
    await press(session_id);
    await until('pressed without an agent', async () => touched('person', since).length === 1);
    for (const agent of ['agent-1', 'agent-2']) await installation.stack.start(agent);

    await Promise.all(['browser-1', 'browser-2'].map((host) => installation.stack.kill(host)));
    await Promise.all(['browser-1', 'browser-2'].map((host) => installation.stack.start(host)));
    // Refused until it is open again, which may have been quicker.
    await press(session_id).catch(({ code }) => assert.equal(code, 'conflict'));
    const again = await until('open again', async () => {
      const { takeover } = (await installation.client.getSession({ id: session_id })).snapshot;
      assert.equal(takeover?.status, 'active');
      return takeover.epoch > epoch && takeover;
    });
    const secondPressFrom = Date.now();
    // A host that has just started may not answer in time, and says so: the person goes there again.
    let conflicts = 0;
    await until('there again', () =>
      goThere(session_id).then(
        () => true,
        ({ code }) => {
          assert.equal(code, 'conflict');
          conflicts += 1;
          assert.ok(conflicts <= 3, 'it answers in the end');
          return false;
        },
      ),
    );
    await installation.client.movePointer({
      id: session_id,
      takeover_id: again.takeover_id,
      action: 'click',
      ...places.mine,
    });
    await until('pressed again', async () => touched('person', secondPressFrom).length === 1);
    await installation.client.resumeTakeover({ id });
    await untilStatus(id, 'success', 60_000);
  });

  it('and loses it by its lease also while no agent lives: the task goes on within five seconds of a new one', async () => {
    const { task_id: id, session_id } = await start(clicks(2));
    await installation.client.signalTakeover({ id });
    const { takeover_id } = await untilActive(session_id);
    for (const agent of ['agent-1', 'agent-2']) await installation.stack.kill(agent);
    const client = new pg.Client(installation.stack.services.databaseUrl());
    await client.connect();
    await client.query(`update takeovers set expires_at = clock_timestamp() - interval '1 s' where id = $1`, [
      takeover_id,
    ]);
    await client.end();
    await assert.rejects(press(session_id), { code: 'takeover_conflict' });
    await installation.stack.start('agent-1');
    const since = Date.now();
    await until('running', async () => (await statusOf(id)).status !== 'takeover', 5000);
    console.log(`given back ${Math.round(Date.now() - since)} ms after the start of an agent`);
    await installation.stack.start('agent-2');
    await untilStatus(id, 'success', 60_000);
  });

  it('one of several who want it, again and again: never two, and never the agent meanwhile', async () => {
    const rounds = 12;
    const { task_id: id, session_id } = await start([{ action: 'navigate', url: site.url }, ...clicks(60).slice(1)]);
    const held: { from: number; to: number }[] = [];
    const begun = Date.now();
    await until('at work', async () => touched('agent', begun).length > 0);
    for (let round = 0; round < rounds && (await statusOf(id)).status !== 'success'; round += 1) {
      const asks = [...clients, ...clients].map((client, index) =>
        index % 3 === round % 3
          ? client.signalTakeover({ id }).then(({ takeover }) => takeover)
          : client.requestTakeover({ id }).then(({ takeover }) => takeover),
      );
      const answers = await Promise.allSettled(asks);
      // All are one person here, who may be told of their one takeover more than once.
      const granted = new Set(answers.map((one) => (one.status === 'fulfilled' ? one.value?.takeover_id : undefined)));
      granted.delete(undefined);
      assert.ok(granted.size <= 1, `round ${round}: ${granted.size} have it`);
      if (granted.size === 0) continue;
      await untilActive(session_id);
      const from = Date.now();
      await press(session_id);
      await sleep(150);
      held.push({ from, to: Date.now() });
      await installation.client.resumeTakeover({ id });
      const returned = Date.now();
      // A step that is cut again and again before it is done fails, as it should.
      await until('at work again', async () => {
        const { takeover, status } = await statusOf(id);
        return takeover === null && (status === 'success' || touched('agent', returned).length > 0);
      });
    }
    await untilStatus(id, 'success', 90_000);
    const intruding = touched('agent', begun).filter(({ at }) => held.some(({ from, to }) => at > from && at < to));
    assert.deepEqual(intruding, [], 'the agent acted while a person had the wheel');
    assert.equal(touched('person', begun).length, held.length);
    // One that was cut short may have been done, and is done again.
    assert.ok(touched('agent', begun).length >= 60);
    assert.ok(held.length >= rounds / 2, `only ${held.length} times`);
    console.log(`${held.length} times the wheel, no intruder`);
  });
});
