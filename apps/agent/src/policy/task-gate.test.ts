import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Policy, Step } from '@pilothouse/contract';
import { localUser, newId } from '@pilothouse/store';
import { acted } from '../../testing/scripted-browsers.ts';
import { finishes, page, says } from '../../testing/scripted-mind.ts';
import { click, openBench, play, settings } from '../../testing/task-bench.ts';
import type { TaskTurn } from '../ledger/turn.ts';
import { createTaskGates } from './task-gate.ts';

describe('the gate of a task', () => {
  let bench: Awaited<ReturnType<typeof openBench>>;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench?.close());

  /** The gate of the one step of a script, as its host gets it. */
  async function gateOf(step: Step, more: Parameters<typeof bench.newTask>[1] = {}) {
    const task = await bench.newTask([step], more);
    const run = task.run({ replies: [acted()] });
    await play(run);
    return run.sent[0]?.command.gate ?? assert.fail('nothing was sent');
  }
  type Said = { answer: 'once' | 'kind' | 'no'; stepIndex?: number; page?: string; at?: string };
  /** What a person said before the one step of a new task. */
  async function gateAfter(step: Step, said: Said[], { mind = false } = {}) {
    const task = await bench.newTask(mind ? 'open' : [step]);
    const ids: string[] = [];
    for (const { answer, stepIndex = 1, page: at = 'https://shop.test/' } of said) {
      const id = newId();
      ids.push(id);
      const what = {
        fingerprint: `f${ids.length}`,
        class: 'commit',
        site: 'https://a.test',
        facts: { page: at },
      } as const;
      await task.store.transaction(async (tx) => {
        await task.store.approvals.add(tx, { id, taskId: task.id, stepIndex, ...what, expiresInSecs: 60 });
        await task.store.approvals.answer(tx, task.id, answer, localUser.id);
      });
    }
    const answers = mind ? [says(['click', { ref: 'e1' }]), finishes()] : [];
    const run = task.run({ replies: [acted(), acted()], view: page() }, { answers });
    await play(run);
    const attempts = await task.store.steps.of(task.id);
    return { task, ids, gate: run.sent[0]?.command.gate, used: attempts.at(-1)?.approval_id ?? null };
  }

  const standing = { policy: null, isAdmin: false, hasApprovals: false };
  const ofFirstPage = (installation: Policy | undefined, policy: Policy | undefined, ofUser: unknown = null) => {
    const turn = { settings: { ...settings, policy }, standing: { ...standing, policy: ofUser } };
    return createTaskGates({ store: bench.store, installation }).ofFirstPage(turn as unknown as TaskTurn);
  };

  it('lets the first page through as what a person chose, in full view', () => {
    const { rules, ...rest } = ofFirstPage(undefined, undefined);
    assert.deepEqual(rest, { is_given: true, grants: [], is_watched: true });
    assert.equal(rules.mode, 'standard');
  });

  it('has the strictest rules of installation, user and task', () => {
    assert.equal(ofFirstPage({ mode: 'careful' }, {}).rules.mode, 'careful');
    assert.equal(ofFirstPage({}, { mode: 'careful' }).rules.mode, 'careful');
    assert.equal(ofFirstPage({}, {}, { mode: 'watch' }).rules.mode, 'watch');
    assert.equal(ofFirstPage({ mode: 'watch' }, { mode: 'careful' }).rules.mode, 'watch');
  });

  it('counts rules that it cannot read as the strictest', () => {
    assert.equal(ofFirstPage({}, {}, { mode: 'of a later release' }).rules.mode, 'watch');
  });

  it('knows nothing of the words and addresses of people, who may go anywhere', async () => {
    const gate = await gateOf({ action: 'navigate', url: 'https://anywhere.test/' });
    assert.deepEqual([gate.is_given, gate.known_origins, gate.shown_at], [true, undefined, undefined]);
  });

  it('names no known site for a step that opens none', async () => {
    const { gate } = await gateAfter(click('Buy'), [], { mind: true });
    assert.equal(gate?.is_given, false);
    assert.equal(gate && 'known_origins' in gate, false);
  });

  it('takes the steps of a program as given by nobody', async () => {
    assert.equal((await gateOf(click('Buy'), { steps_by: 'program' })).is_given, false);
    assert.equal((await gateOf(click('Buy'))).is_given, true);
  });

  it('asks who watches only where the rules want a person to', async () => {
    const isWatched = async (policy: Policy, viewers: number) => {
      const task = await bench.newTask([click('Buy')], { policy });
      if (viewers) await task.store.viewers.report(newId(), new Map([[task.sessionId, viewers]]), 60_000);
      const run = task.run({ replies: [acted()] });
      await play(run);
      return run.sent[0]?.command.gate?.is_watched;
    };
    assert.equal(await isWatched({}, 1), false);
    assert.equal(await isWatched({ mode: 'careful' }, 1), false);
    assert.deepEqual([await isWatched({ mode: 'watch' }, 1), await isWatched({ mode: 'watch' }, 0)], [true, false]);
    assert.equal(await isWatched({ watch: ['shop.test'] }, 1), true);
  });

  it('has a yes to this step, once', async () => {
    const { gate, ids, used } = await gateAfter(click('Buy'), [{ answer: 'once' }]);
    assert.equal(gate?.yes, 'f1');
    assert.deepEqual(gate?.grants, []);
    assert.equal(used, ids[0]);
  });

  it('has no yes to another step', async () => {
    const { gate, used } = await gateAfter(click('Buy'), [{ answer: 'once', stepIndex: 7 }]);
    assert.deepEqual([gate?.yes, used], [undefined, null]);
  });

  it('counts the last that was said of a step', async () => {
    const { gate, ids, used } = await gateAfter(click('Buy'), [{ answer: 'no' }, { answer: 'once' }]);
    assert.deepEqual([gate?.yes, used], ['f2', ids[1]]);
  });

  it('has a yes to the kind for every step, and writes down that it was used where the step may commit', async () => {
    const said: Said[] = [{ answer: 'kind', stepIndex: 7 }];
    const press = await gateAfter(click('Buy'), said);
    assert.deepEqual(press.gate?.grants, [{ class: 'commit', origin: 'https://a.test' }]);
    assert.deepEqual([press.gate?.yes, press.used], [undefined, press.ids[0]]);
    const look = await gateAfter({ action: 'hover', target: 'Buy' }, said);
    assert.deepEqual([look.gate?.grants.length, look.used], [1, null]);
  });

  for (const step of [
    { action: 'double_click', target: 'a' },
    { action: 'press', key: 'Enter' },
    { action: 'select', target: 'a', option: 'b' },
    { action: 'check', target: 'a', checked: true },
  ] as Step[])
    it(`${step.action} may commit`, async () => {
      const { used, ids } = await gateAfter(step, [{ answer: 'kind', stepIndex: 7 }]);
      assert.equal(used, ids[0]);
    });

  it('remembers a no on the site that a model sees, and on no other', async () => {
    const on = (at: string) => gateAfter(click('Buy'), [{ answer: 'no', stepIndex: 7, page: at }], { mind: true });
    assert.equal((await on(`${new URL(page().url ?? '').origin}/elsewhere`)).gate?.is_after_no, true);
    assert.equal((await on('https://other.test/')).gate?.is_after_no, undefined);
    const yes = await gateAfter(click('Buy'), [{ answer: 'kind', stepIndex: 7, page: page().url ?? '' }], {
      mind: true,
    });
    assert.equal(yes.gate?.is_after_no, undefined);
  });
});
