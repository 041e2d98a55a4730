import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { localUser, newId, openStore } from '@pilothouse/store';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { type Office, startOffice } from '../testkit/pages/office.ts';
import { until } from '../testkit/until.ts';

describe('an agent at work', () => {
  let installation: Installation;
  let office: Office;
  before(async () => {
    office = await startOffice();
    installation = await openInstallation('work', { sites: [office.url] });
  });
  after(async () => {
    await installation?.close();
    await office?.close();
  });

  const script = (text: string) => text.replaceAll('DESK', office.url);
  const statusOf = async (id: string) => (await installation.client.getTaskStatus({ id })).status;
  async function untilStatus(id: string, wanted: string, withinMs = 40_000) {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const status = await statusOf(id);
      if (status.status === wanted) return status;
      const isOver = ['success', 'failed', 'cancelled'].includes(status.status) || performance.now() > deadline;
      if (isOver) assert.fail(`${status.status} instead of ${wanted}: ${status.last_error}`);
      await sleep(100);
    }
  }
  async function untilStep(id: string, title: RegExp) {
    const deadline = performance.now() + 30_000;
    while (!title.test((await statusOf(id)).current_step_title)) {
      if (performance.now() > deadline) assert.fail('the step did not begin');
      await sleep(50);
    }
  }

  it('does a script: reads, downloads, uploads, and brings the results by their names', async () => {
    const content_base64 = Buffer.from('a note').toString('base64');
    const { task_id } = await installation.client.sendChat({
      prompt: script(`
        extract table "Prices" as prices
        extract text css "h1" as heading
        download "Report"
        upload note.txt to "File"
        wait for "Sent note.txt"
        upload report.csv to "File"
        wait for "Sent report.csv"`),
      current_url: office.url,
      files: [{ name: 'note.txt', content_base64 }],
    });
    const { result } = await untilStatus(task_id, 'success');
    const { data, files } = result ?? {};
    assert.deepEqual(data, {
      prices: [
        { Name: 'Lantern', Price: '12' },
        { Name: 'Compass', Price: '30' },
      ],
      heading: 'Office',
    });
    const [file] = files ?? [];
    assert.deepEqual([file?.name, file?.content_type, file?.byte_len], ['report.csv', 'text/csv', 22]);
    const brought = await fetch(`${installation.baseUrl}${file?.path}`);
    assert.equal(await brought.text(), 'name,price\nLantern,12\n');
    assert.deepEqual(
      [...office.uploads],
      [
        ['note.txt', 'a note'],
        ['report.csv', 'name,price\nLantern,12\n'],
      ],
    );
    const { logs } = await installation.client.listLogs({ id: task_id });
    const [first, second] = logs;
    assert.deepEqual([first?.message, second?.message], [`Opening ${office.url}`, 'Step 1 of 7: Extract "Prices"']);
    assert.equal(logs.at(-1)?.message, 'The task is done.');
    const { data: seen } = await installation.client.listObservations({ id: task_id });
    assert.deepEqual(
      seen.observations.map(({ kind }) => kind).filter((kind) => kind !== 'screenshot'),
      ['extract', 'extract', 'download'],
    );
  });

  it('goes past an alert, answers what the plan answers, and says which question stopped it', async () => {
    const first = await installation.client.sendChat({
      prompt: script('open DESK\nclick "Warn"\nwait for "Warned"\nclick "Confirm"\naccept dialog\nwait for "Yes said"'),
    });
    await untilStatus(first.task_id, 'success');
    const second = await installation.client.sendChat({ prompt: script('open DESK\nclick "Confirm"\nclick "Report"') });
    const { last_error } = await untilStatus(second.task_id, 'failed');
    assert.match(last_error ?? '', /The page asks "Really\?" \(confirm\)/);
  });

  it('tries again what touched nothing, three times, and then says which step failed and why', async () => {
    const { task_id } = await installation.client.sendChat({
      prompt: 'x',
      steps: [{ action: 'navigate', url: 'http://127.0.0.1:9/' }],
    });
    const { last_error, agent_history } = await untilStatus(task_id, 'failed');
    assert.match(last_error ?? '', /^"Open http:\/\/127\.0\.0\.1:9\/" failed 3 times: /);
    assert.deepEqual(
      agent_history.map(({ status, attempts }) => [status, attempts]),
      [
        ['failed', 1],
        ['failed', 2],
        ['failed', 3],
      ],
    );
  });

  it('waits for a person, or for what the page shows; time with a person does not count', async () => {
    const { task_id } = await installation.client.sendChat({
      prompt: script(
        'open DESK\nask "Which colour?"\nselect "Blue" in "List"\nopen DESK/approvals\nask "Approve it" until "Approved"\nwait 1 s',
      ),
      time_limit_secs: 10,
    });
    const { question } = await untilStatus(task_id, 'awaiting_user');
    assert.equal(question?.text, 'Which colour?');
    await sleep(11_000);
    await installation.client.signalTakeover({ id: task_id, answer: 'the blue one' });
    const asked = await untilStep(task_id, /^Ask/).then(() => untilStatus(task_id, 'awaiting_user'));
    assert.deepEqual(asked.question?.until, { text: 'Approved' });
    office.approve();
    const { result } = await untilStatus(task_id, 'success');
    assert.deepEqual(result?.answers, [{ step_id: 'step-2', question: 'Which colour?', text: 'the blue one' }]);
    const { message_state } = await installation.client.getMessageState({ id: task_id });
    assert.deepEqual(
      message_state.items.filter(({ kind }) => kind === 'question' || kind === 'answer').map(({ content }) => content),
      ['Which colour?', 'the blue one', 'Approve it'],
    );
  });

  it('ends at its time limit, and says so', async () => {
    const { task_id } = await installation.client.sendChat({
      prompt: script('open DESK\nwait 60 s'),
      time_limit_secs: 10,
    });
    const { last_error } = await untilStatus(task_id, 'failed');
    assert.equal(last_error, 'The time limit of 10 s is over.');
  });

  it('stops within two seconds of a cancel, touches nothing afterwards, and turns to the next task', async () => {
    const { task_id, session_id } = await installation.client.sendChat({
      prompt: script('open DESK\nclick "Never there"'),
    });
    const next = await installation.client.sendChat({ session_id, prompt: script('extract text css "h1" as heading') });
    await untilStep(task_id, /Never there/);
    const begun = performance.now();
    assert.equal((await installation.client.cancelTask({ id: task_id })).status.status, 'cancelled');
    assert.ok(performance.now() - begun < 2000);
    office.happenings.length = 0;
    await untilStatus(next.task_id, 'success', 10_000);
    assert.deepEqual(office.happenings, []);
    const { agent_history } = await statusOf(task_id);
    assert.equal(agent_history.at(-1)?.status, 'interrupted');
  });

  it('goes on with a long wait after a restart, without beginning it again', async () => {
    const { task_id } = await installation.client.sendChat({ prompt: script('open DESK\nwait 15 s\nscreenshot') });
    await untilStep(task_id, /^Wait/);
    const begun = performance.now();
    await sleep(3000);
    await installation.stack.kill('agent-1');
    await installation.stack.start('agent-1');
    const { attempt, agent_history } = await untilStatus(task_id, 'success');
    const tookMs = performance.now() - begun;
    assert.equal(attempt, 2);
    assert.equal(agent_history.length, 3, 'each step has one try');
    assert.ok(tookMs > 14_000 && tookMs < 40_000, String(tookMs));
  });

  it('is answered although the agent that asked is gone', async () => {
    const { task_id } = await installation.client.sendChat({ prompt: script('open DESK\nask "Go on?"\nscreenshot') });
    await untilStatus(task_id, 'awaiting_user');
    await installation.stack.kill('agent-1');
    await installation.client.signalTakeover({ id: task_id, answer: 'yes' });
    await installation.stack.start('agent-1');
    const { attempt, result } = await untilStatus(task_id, 'success');
    assert.equal(attempt, 1, 'who waits for a person needs no agent, and loses none');
    assert.equal(result?.answers?.[0]?.text, 'yes');
  });

  it('pays once although the agent dies while it pays, and asks nobody: the browser knows', async () => {
    office.payments.length = 0;
    const { task_id } = await installation.client.sendChat({
      prompt: script('open DESK/pay\n!click "Pay"\nwait for "Paid"'),
    });
    await until(() => office.payments.length > 0, 20_000);
    await installation.stack.kill('agent-1');
    await installation.stack.start('agent-1');
    const { attempt } = await untilStatus(task_id, 'success');
    assert.deepEqual([office.payments.length, attempt], [1, 2]);
  });

  it('fails in plain words where a task has no steps and no agent has a model that could decide any', async () => {
    const store = openStore({
      url: installation.stack.services.databaseUrl(),
      blobDir: '/nonexistent',
      poolSize: 2,
      onError: () => {},
    });
    try {
      // As a server that believes in a model would begin it.
      const { task } = await installation.client.getTask(
        await installation.client.sendChat({ prompt: 'screenshot' }).then(({ task_id: id }) => ({ id })),
      );
      await untilStatus(task.id, 'success');
      const id = newId();
      await store.change(task.session_id, async (tx) => {
        const settings = { ...task.settings, planner: 'llm' };
        const given = { title: 'Find it', prompt: 'Find it', plan: { steps: [] }, settings, totalSteps: null };
        await store.tasks.create(tx, localUser, { id, sessionId: task.session_id, ...given });
      });
      const { last_error, result } = await untilStatus(id, 'failed');
      assert.match(last_error ?? '', /No agent has a model/);
      assert.equal(result, null);
      const { session } = (await installation.client.getSession({ id: task.session_id })).snapshot;
      assert.equal(session.status, 'idle');
    } finally {
      await store.close();
    }
  });

  it('ends with its session, and the browser too', async () => {
    const { task_id, session_id } = await installation.client.sendChat({
      prompt: script('open DESK\nclick "Never there"'),
    });
    await untilStep(task_id, /Never there/);
    await installation.client.deleteSession({ id: session_id });
    assert.equal((await statusOf(task_id)).last_error, 'The session was closed.');
    const deadline = performance.now() + 10_000;
    const browser = async () => (await installation.client.getSession({ id: session_id })).snapshot.session.browser;
    while ((await browser()) !== 'cold' && performance.now() < deadline) await sleep(100);
    assert.equal(await browser(), 'cold');
  });

  it('asks a person where nobody knows whether what cannot be undone was done, and does what they say', async () => {
    for (const [answer, expected] of [
      ['done', 'success'],
      ['stop', 'failed'],
      ['repeat', 'success'],
    ] as const) {
      office.payments.length = 0;
      const { task_id } = await installation.client.sendChat({
        prompt: script('open DESK/pay\n!click "Pay"\nscreenshot'),
      });
      await until(() => office.payments.length > 0, 20_000);
      // The payment has arrived, and the page is busy: the click has not been answered yet.
      await installation.stack.kill('browser-1');
      await installation.stack.start('browser-1');
      const { question } = await untilStatus(task_id, 'awaiting_user');
      assert.match(question?.text ?? '', /"Click "Pay"" may or may not have been done/);
      assert.deepEqual(question?.options, ['done', 'repeat', 'stop']);
      assert.equal(office.payments.length, 1);
      const vague = installation.client.signalTakeover({ id: task_id, answer: 'It was done, go on' });
      await assert.rejects(vague, { code: 'invalid_answer', status: 422 });
      await installation.client.signalTakeover({ id: task_id, answer });
      await untilStatus(task_id, expected);
      assert.equal(office.payments.length, answer === 'repeat' ? 2 : 1, answer);
    }
  });
});
