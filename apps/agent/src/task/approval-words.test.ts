import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AskedAct } from '@pilothouse/bus';
import { newId } from '@pilothouse/store';
import { answerApproval, asked, buy, needsYes, sentence, standingQuestion } from '../../testing/approvals.ts';
import type { Reply } from '../../testing/scripted-browsers.ts';
import { finishes, page } from '../../testing/scripted-mind.ts';
import { type BenchTask, click, openBench, play } from '../../testing/task-bench.ts';
import type { Outcome } from '../browsers/outcome.ts';

const changed: { what: string; first?: Partial<AskedAct>; later: Partial<AskedAct>; words: string }[] = [
  { what: 'the name', later: { name: 'Buy two' }, words: 'its name' },
  { what: 'the value', later: { value: '2' }, words: 'what is given' },
  { what: 'the form', later: { form_action: 'https://other.test/' }, words: 'where the form is sent' },
  { what: 'the page', later: { page: 'https://shop.test/other' }, words: 'the address of the page' },
  { what: 'the frame', later: { frame_origin: 'https://frame.test' }, words: 'the site of its frame' },
  { what: 'the role', later: { role: 'link' }, words: 'its kind' },
  { what: 'two things', later: { role: 'link', name: 'Sell' }, words: 'its name; its kind' },
  {
    what: 'amounts that came',
    first: { amounts: [] },
    later: { amounts: ['€ 1', '€ 2'] },
    words: 'the amounts (none, now € 1, € 2)',
  },
  { what: 'amounts that went', later: { amounts: [] }, words: 'the amounts (€ 20.00, now none)' },
  { what: 'something that is not told', later: {}, words: 'what a click reaches' },
];

describe('what people read of an act that waits for them', () => {
  let bench: Awaited<ReturnType<typeof openBench>>;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench?.close());

  async function begin(replies: Reply[], answers = [buy, finishes()]) {
    const task = await bench.newTask('open');
    return { task, run: task.run({ view: page(), replies }, { answers }) };
  }
  const eventsOf = async (task: BenchTask): Promise<string[]> => {
    const { rows } = await task.sql(
      `select data->'status'->>'status' as status from events where task_id = $1 and kind = 'status' order by seq`,
    );
    return rows.map(({ status }) => status);
  };

  it('is a question with the act, its site and the reason', async () => {
    const { task, run } = await begin([needsYes()]);
    await play(run);
    assert.equal((await standingQuestion(task)).text, `May this be done: Click "Buy" on shop.test? ${sentence}`);
    const [attempt] = await task.store.steps.of(task.id);
    assert.equal(attempt?.error, 'It waits for a yes.');
    assert.ok((await task.logs()).includes(`Asked for a yes: Click "Buy". ${sentence}`));
    assert.equal((await eventsOf(task)).at(-1), 'awaiting_user');
  });

  it('names a page that has no host, and no page where none is known', async () => {
    for (const [at, words] of [
      ['about:blank', ' on about:blank'],
      ['nothing', ' on nothing'],
      ['', ''],
    ] as const) {
      const { task, run } = await begin([needsYes({ page: at })]);
      await play(run);
      assert.equal((await standingQuestion(task)).text, `May this be done: Click "Buy"${words}? ${sentence}`);
    }
  });

  it('has the newest picture of the task', async () => {
    const { task, run } = await begin([needsYes()]);
    const id = newId();
    await task.store.transaction((tx) =>
      task.store.observations.add(tx, {
        ...{ id, task_id: task.id, step_id: '0', seq: 1, recorded_at: new Date(), kind: 'screenshot', summary: '' },
        ...{ blob_key: 'b', content_type: 'image/jpeg', byte_len: 1, width: 1, height: 1 },
      }),
    );
    await play(run);
    const { approval } = await standingQuestion(task);
    assert.equal(approval?.picture_path, `/api/tasks/${task.id}/observations/${id}/image`);
  });

  for (const { what, first, later, words } of changed)
    it(`says why a yes did not count: ${what}`, async () => {
      const { task, run } = await begin([
        needsYes(first),
        needsYes({ ...first, ...later, fingerprint: 'b'.repeat(64) }),
      ]);
      await play(run);
      await answerApproval(task, 'once');
      await play(run);
      const { text, approval } = await standingQuestion(task);
      const reason = `The page changed after the yes, so nothing was done: ${words}.`;
      assert.equal(approval?.void_reason, reason);
      assert.ok(text.startsWith(`${reason} May this be done: `), text);
    });

  it('is nothing where a host does not say what it asks about, or why', async () => {
    const { verdict: _, ...withoutVerdict } = needsYes() as Extract<Outcome, { type: 'failed' }>;
    const { asked: __, ...withoutAct } = needsYes() as Extract<Outcome, { type: 'failed' }>;
    for (const reply of [withoutVerdict, withoutAct]) {
      const { task, run } = await begin([reply]);
      assert.equal((await play(run)).at(-1), 'done');
      assert.deepEqual(await task.store.approvals.of(task.id), []);
      assert.match(JSON.stringify(run.requests[1]?.messages), /Failed: A person has to say yes/);
    }
  });

  it('is the refusal where the rules refuse, however much the host says of the act', async () => {
    const refused: Outcome = {
      ...{ type: 'failed', failure: 'refused', message: 'No.', hasTouched: false, asked: asked() },
      verdict: { class: 'commit', outcome: 'deny', sentence: 'No.' },
    };
    const { task, run } = await begin([refused]);
    assert.equal((await play(run)).at(-1), 'done');
    assert.deepEqual(await task.store.approvals.of(task.id), []);
  });

  it('is one choice where a person has to watch', async () => {
    const why = 'It is done only while a person watches.';
    const unwatched: Outcome = {
      ...{ type: 'failed', failure: 'needs_watcher', message: why, hasTouched: false },
      verdict: { class: 'write', outcome: 'watch', sentence: why },
    };
    const task = await bench.newTask([click('Buy')], { policy: { watch: ['shop.test'] } });
    assert.deepEqual(await play(task.run({ replies: [unwatched] })), ['wait']);
    const { text, kind, choices, takes_words } = await standingQuestion(task);
    assert.equal(text, `"Click "Buy"" waits until you watch: open the session, and then go on. ${why}`);
    assert.deepEqual([kind, takes_words], ['choice', false]);
    assert.deepEqual(
      choices?.map(({ value, label }) => [value, label]),
      [['go on', 'I am watching: go on']],
    );
    const [attempt] = await task.store.steps.of(task.id);
    assert.equal(attempt?.error, 'It waits for a watcher.');
    assert.deepEqual(attempt?.policy, { class: 'write', outcome: 'ask', sentence: why });
    assert.ok((await task.logs()).includes('Waits for a watcher: Click "Buy"'));
    assert.equal((await eventsOf(task)).at(-1), 'awaiting_user');
  });

  it('is a failed step after a no, under the driver that the browser had', async () => {
    const { task, run } = await begin([needsYes()]);
    await play(run);
    await answerApproval(task, 'no');
    await play(run);
    const [first, second] = await task.store.steps.of(task.id);
    const error = 'The person said no: Click "Buy"';
    assert.equal(second?.error, error);
    assert.deepEqual(second?.policy, { class: 'commit', outcome: 'deny', sentence: error });
    assert.equal(second?.epoch, first?.epoch);
  });
});
