import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AskedAct } from '@pilothouse/bus';
import { type ApprovalAnswer, Question } from '@pilothouse/contract';
import { createLog } from '@pilothouse/process';
import { localUser, newId, questionOf } from '@pilothouse/store';
import { until } from '../../../../testkit/until.ts';
import { acted, lost, type Reply } from '../../testing/scripted-browsers.ts';
import { finishes, page, says } from '../../testing/scripted-mind.ts';
import { type BenchTask, click, openBench, play } from '../../testing/task-bench.ts';
import { startWaitingTasks } from '../background/waiting-tasks.ts';
import type { Outcome } from '../browsers/outcome.ts';
import { createLedger } from '../ledger/ledger.ts';

const sentence = 'A person has to say yes, because the words on it commit to something.';
const asked = (more: Partial<AskedAct> = {}): AskedAct => ({
  fingerprint: 'a'.repeat(64),
  site: 'https://shop.test',
  role: 'button',
  name: 'Buy',
  value: null,
  page: 'https://shop.test/cart',
  frame_origin: null,
  form_action: 'https://shop.test/order',
  amounts: ['€ 20.00'],
  bbox: { x: 1, y: 2, width: 3, height: 4 },
  ...more,
});
const needsYes = (more: Partial<AskedAct> = {}): Outcome => ({
  type: 'failed',
  failure: 'needs_yes',
  message: sentence,
  hasTouched: false,
  verdict: { class: 'commit', outcome: 'ask', sentence },
  asked: asked(more),
});
const approved = acted({ verdict: { class: 'commit', outcome: 'ask', sentence } });
const buy = says(['click', { ref: 'e1' }]);

describe('an act that needs a yes', () => {
  let bench: Awaited<ReturnType<typeof openBench>>;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench?.close());

  /** As the server does it: the question and the act are answered together. */
  const answer = (task: BenchTask, said: ApprovalAnswer) =>
    task.store.change(task.sessionId, async (tx) => {
      assert.ok(await task.store.questions.answer(tx, task.id, { text: said }), 'a question stands');
      return task.store.approvals.answer(tx, task.id, said, localUser.id);
    });
  async function begin(replies: Reply[], answers = [buy, finishes()]) {
    const task = await bench.newTask('open');
    const run = task.run({ view: page(), replies }, { answers });
    return { task, run, sent: (index: number) => run.sent[index]?.command.gate };
  }
  const standing = async (task: BenchTask) => Question.parse(questionOf(await task.row()));

  it('is asked about with everything that the yes is bound to, and done once after it', async () => {
    const { task, run, sent } = await begin([needsYes(), approved]);
    assert.equal((await play(run)).at(-1), 'wait');
    const question = await standing(task);
    assert.equal(question.kind, 'approval');
    assert.deepEqual(
      question.choices?.map(({ value, label }) => [value, label]),
      [
        ['once', 'Yes, this once'],
        ['kind', 'Yes, to this kind on this site in this task'],
        ['no', 'No'],
      ],
    );
    assert.equal(question.takes_words, false);
    const { id, expires_at, ...told } = question.approval ?? assert.fail('no approval');
    const { fingerprint, site: _, ...facts } = asked();
    assert.deepEqual(told, {
      ...{ class: 'commit', why: sentence, action: 'Click "Buy"', ...facts },
      ...{ secret: null, picture_path: null, void_reason: null },
    });
    assert.equal(expires_at, question.expires_at);
    assert.equal(sent(0)?.is_given, false);
    assert.equal(sent(0)?.yes, undefined);

    assert.equal(await answer(task, 'once'), id);
    assert.equal((await play(run)).at(-1), 'done');
    assert.equal(sent(1)?.yes, fingerprint);
    assert.equal((await task.row()).status, 'success');
    assert.deepEqual(await task.attempts(), ['1 failed', '1 success']);
    const [first, second] = await task.store.steps.of(task.id);
    assert.deepEqual(first?.policy, { class: 'commit', outcome: 'ask', sentence });
    assert.deepEqual(second?.policy, { class: 'commit', outcome: 'ask', sentence, approved_by: 'local user' });
  });

  it('is asked about again where the page changed after the yes, and says what changed', async () => {
    const other = { fingerprint: 'b'.repeat(64), amounts: ['€ 90.00'] };
    const { task, run, sent } = await begin([needsYes(), needsYes(other), approved]);
    await play(run);
    await answer(task, 'once');
    assert.equal((await play(run)).at(-1), 'wait');
    assert.match((await standing(task)).approval?.void_reason ?? '', /the amounts \(€ 20\.00, now € 90\.00\)/);
    await answer(task, 'once');
    assert.equal((await play(run)).at(-1), 'done');
    assert.equal(sent(2)?.yes, other.fingerprint);
    assert.deepEqual(await task.attempts(), ['1 failed', '1 failed', '1 success']);
  });

  it('is not done after a no: the model is told, goes on, and is not asked for the same again', async () => {
    const { task, run, sent } = await begin([needsYes(), needsYes()], [buy, buy, finishes()]);
    await play(run);
    await answer(task, 'no');
    assert.equal((await play(run)).at(-1), 'done');
    assert.equal((await task.row()).status, 'success');
    assert.match(JSON.stringify(run.requests[1]?.messages), /Failed: The person said no: Click/);
    assert.match(JSON.stringify(run.requests[2]?.messages), /Failed: A person has to say yes/);
    assert.deepEqual(await task.attempts(), ['1 failed', '1 failed', '2 failed']);
    assert.equal((await task.store.approvals.of(task.id)).length, 1);
    assert.deepEqual([sent(0)?.is_after_no, sent(1)?.is_after_no], [undefined, true]);
  });

  it('a no on one site makes no forms of another doubtful', async () => {
    const { task, run, sent } = await begin([needsYes({ page: 'https://ads.test/' }), acted()], [buy, buy, finishes()]);
    await play(run);
    await answer(task, 'no');
    assert.equal((await play(run)).at(-1), 'done');
    assert.equal(sent(1)?.is_after_no, undefined);
  });

  it('a yes to the kind holds for the task, and counts as a yes where it is in doubt', async () => {
    const { task, run, sent } = await begin([needsYes(), acted(), lost({ mayHaveActed: true })], [buy, buy]);
    await play(run);
    await answer(task, 'kind');
    assert.equal((await play(run)).at(-1), 'wait');
    const grant = { class: 'commit', origin: 'https://shop.test' };
    assert.deepEqual([sent(1)?.grants, sent(2)?.grants, sent(1)?.yes], [[grant], [grant], undefined]);
    const question = await standing(task);
    assert.equal(question.kind, 'doubt', 'it may have been done, and is not repeated');
  });

  it('an agent that is lost after it began uses the yes no second time', async () => {
    const { task, run } = await begin([needsYes(), lost({ mayHaveActed: true })]);
    await play(run);
    await answer(task, 'once');
    assert.equal((await play(run)).at(-1), 'wait');
    assert.equal((await standing(task)).kind, 'doubt');
    await task.answer('repeat');
    const again = task.run({ view: page(), replies: [needsYes()] }, { answers: [] });
    assert.equal((await play(again)).at(-1), 'wait');
    assert.equal(again.sent[0]?.command.gate?.yes, undefined);
    assert.equal((await standing(task)).kind, 'approval');
  });

  it('an open attempt of a lost agent is sent again with its own yes, to a host that may not have heard it', async () => {
    const { task, run } = await begin([needsYes(), lost({ isUnheard: true }), approved]);
    await play(run);
    await answer(task, 'once');
    assert.equal((await play(run)).at(-1), 'done');
    assert.deepEqual(
      run.sent.map(({ command }) => command.gate?.yes?.[0]),
      [undefined, 'a', 'a'],
    );
    assert.equal(run.sent[1]?.command.commandId, run.sent[2]?.command.commandId);
    assert.deepEqual(await task.attempts(), ['1 failed', '1 success']);
  });

  it('a yes that has lapsed is asked for again', async () => {
    const { task, run, sent } = await begin([needsYes(), needsYes()]);
    await play(run);
    await answer(task, 'once');
    await task.sql(`update approvals set expires_at = clock_timestamp() where task_id = $1`);
    assert.equal((await play(run)).at(-1), 'wait');
    assert.equal(sent(1)?.yes, undefined);
    assert.equal((await standing(task)).approval?.void_reason, null);
  });

  it('what the rules refuse is told to a model, and ends a script with the sentence', async () => {
    const why = 'shop.test may only be read, and it presses a control of the page.';
    const refused: Outcome = {
      ...{ type: 'failed', failure: 'refused', message: why, hasTouched: false },
      verdict: { class: 'write', outcome: 'deny', sentence: why },
    };
    const { task, run } = await begin([refused]);
    assert.equal((await play(run)).at(-1), 'done');
    assert.match(JSON.stringify(run.requests[1]?.messages), /Failed: shop\.test may only be read/);
    assert.equal((await task.row()).status, 'success');
    const script = await bench.newTask([click('Buy')]);
    await play(script.run({ replies: [refused] }));
    const { status, last_error } = await script.row();
    assert.deepEqual([status, last_error], ['failed', `"Click "Buy"" failed: ${why}`]);
    assert.deepEqual((await script.store.steps.of(script.id))[0]?.policy, {
      class: 'write',
      outcome: 'deny',
      sentence: why,
    });
  });

  it('a script of a careful task is asked about too, and a no ends it', async () => {
    const task = await bench.newTask([click('Buy')], { policy: { mode: 'careful', deny: ['ads.test'] } });
    const run = task.run({ replies: [needsYes()] });
    assert.equal((await play(run)).at(-1), 'wait');
    assert.equal(run.sent[0]?.command.gate?.is_given, true);
    const { rules } = run.sent[0]?.command.gate ?? assert.fail();
    assert.deepEqual([rules.mode, rules.deny], ['careful', ['ads.test']]);
    await answer(task, 'no');
    await play(run);
    const { status, last_error } = await task.row();
    assert.deepEqual([status, last_error], ['failed', 'The person said no: Click "Buy"']);
  });

  it('nobody watches: the task waits, and goes on when a person does', async () => {
    const why = 'It is done only while a person watches, because it presses a control of the page.';
    const unwatched: Outcome = {
      ...{ type: 'failed', failure: 'needs_watcher', message: why, hasTouched: false },
      verdict: { class: 'write', outcome: 'watch', sentence: why },
    };
    const task = await bench.newTask([click('Buy')], { policy: { watch: ['shop.test'] } });
    const run = task.run({ replies: [unwatched, acted()] });
    assert.equal((await play(run)).at(-1), 'wait');
    assert.match((await standing(task)).text, /waits until you watch/);
    const { store } = task;
    assert.deepEqual(await store.waits.watched(), []);
    await store.viewers.report(newId(), new Map([[task.sessionId, 1]]), 60_000);
    const ledger = createLedger({ store, questionSecs: 60, fileBytesPerUser: 1 });
    const waiting = startWaitingTasks({
      store,
      browsers: run.browsers,
      ledger,
      log: createLog('agent', 'silent'),
      everyMs: 20,
    });
    await until(async () => (await task.row()).status === 'running', 10_000);
    await waiting.close();
    assert.equal((await play(run)).at(-1), 'done');
    assert.deepEqual(
      run.sent.map(({ command }) => command.gate?.is_watched),
      [false, true],
    );
  });

  it('only an administrator has a free task, also after the role is lost', async () => {
    const task = await bench.newTask([click('Buy')], { policy: { mode: 'free' } });
    await task.sql(`update users set role = 'user' where id = $1`, [localUser.id]);
    const run = task.run({ replies: [acted()] });
    await play(run);
    await task.sql(`update users set role = 'admin' where id = $1`, [localUser.id]);
    assert.equal(run.sent[0]?.command.gate?.rules.mode, 'standard');
    const other = await bench.newTask([click('Buy')], { policy: { mode: 'free' } });
    const free = other.run({ replies: [acted()] });
    await play(free);
    assert.equal(free.sent[0]?.command.gate?.rules.mode, 'free');
  });

  it('an address that a model opens is known where a person named it, or a page links to it', async () => {
    const open = (url: string) => says(['open', { url }]);
    const linked = page('h1', { handles: [{ ...page().handles[0], href_origin: 'https://linked.test' } as never] });
    const urls = ['https://named.test/a', 'https://below.named.test/', 'https://linked.test/', 'https://evil.test/'];
    const task = await bench.newTask('open', { constraints: ['Only on named.test, please.'] });
    const answers = [...urls.map(open), finishes()];
    const run = task.run({ view: linked, replies: urls.map(() => acted()) }, { answers });
    await play(run, 20);
    assert.deepEqual(
      run.sent.map(({ command }) => command.gate?.known_origins),
      [['https://named.test'], ['https://below.named.test'], ['https://linked.test'], []],
    );
  });
});

describe('a yes', () => {
  let bench: Awaited<ReturnType<typeof openBench>>;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench?.close());

  async function approval(expiresInSecs = 60) {
    const task = await bench.newTask('open');
    const id = newId();
    const what = { fingerprint: 'f', class: 'commit', site: 'https://a.test', facts: {} } as const;
    await bench.store.transaction((tx) =>
      bench.store.approvals.add(tx, { id, taskId: task.id, stepIndex: 1, ...what, expiresInSecs }),
    );
    const say = (said: ApprovalAnswer) =>
      bench.store.transaction((tx) => bench.store.approvals.answer(tx, task.id, said, localUser.id));
    const use = (taskId = task.id) => bench.store.transaction((tx) => bench.store.approvals.use(tx, { id, taskId }));
    return { task, id, say, use };
  }

  it('is given once and used once, however many try at the same time', async () => {
    const { id, say, use } = await approval();
    assert.equal(await use(), false, 'nobody has said anything');
    assert.deepEqual((await Promise.all([say('once'), say('no'), say('kind')])).filter(Boolean), [id]);
    const { task: other } = await approval();
    assert.equal(await use(other.id), false, 'it is of another task');
  });

  it('of two attempts that begin at once, one has it', async () => {
    const { say, use } = await approval();
    assert.ok(await say('once'));
    const used = await Promise.all(Array.from({ length: 8 }, () => use()));
    assert.equal(used.filter(Boolean).length, 1);
  });

  it('is not used up by a transaction that is rolled back', async () => {
    const { id, task, say, use } = await approval();
    await say('once');
    const lostAgent = bench.store.transaction(async (tx) => {
      assert.equal(await bench.store.approvals.use(tx, { id, taskId: task.id }), true);
      throw new Error('the agent is lost');
    });
    await assert.rejects(lostAgent, /the agent is lost/);
    assert.equal(await use(), true);
    assert.equal(await use(), false);
  });

  it('lapses by the clock of the database, before it is given and after', async () => {
    const late = await approval(0);
    assert.equal(await late.say('once'), undefined);
    const { task, say, use } = await approval();
    await say('once');
    await task.sql('update approvals set expires_at = clock_timestamp() where task_id = $1');
    assert.equal(await use(), false);
  });

  it('is none where the person said no, or yes to the kind', async () => {
    for (const said of ['no', 'kind'] as const) {
      const { say, use } = await approval();
      await say(said);
      assert.equal(await use(), false, said);
    }
  });
});
