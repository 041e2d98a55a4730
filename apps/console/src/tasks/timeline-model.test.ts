import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AgentHistory, Execution, MessageState, TaskEvent, TaskStatus } from '../live/api-types.ts';
import { attemptsOf } from './attempts.ts';
import { applyTask, buildTimeline, restoreTask, type TimelineItem } from './timeline-model.ts';

const id = '0198c4a1-0000-7000-8000-000000000001';
const start = Date.parse('2026-11-01T12:00:00.000Z');
const at = (secs: number) => new Date(start + secs * 1000).toISOString();

const entry = (index: number, secs: number, more: Partial<AgentHistory> = {}): AgentHistory => ({
  timestamp: at(secs),
  step_index: index,
  step_id: `step-${index}`,
  title: `Step ${index}`,
  action: 'click',
  status: 'success',
  attempts: 1,
  message: null,
  thinking: null,
  evaluation: null,
  next_goal: null,
  wait_ms: 0,
  run_ms: 100,
  ...more,
});
const status: TaskStatus = {
  task_id: id,
  session_id: id,
  title: 'Buy',
  status: 'running',
  total_steps: 5,
  current_step: 3,
  current_step_title: 'Third',
  started_at: at(0),
  finished_at: null,
  last_error: null,
  last_updated_at: at(4),
  result: null,
  takeover: null,
  question: null,
  recent_evidence: [],
  agent_history: [entry(1, 1), entry(2, 3)],
  attempt: 1,
  cost: { steps: 2, model_calls: 0, input_tokens: 0, output_tokens: 0 },
  cursor: '5',
};
const said = (...items: [MessageState['items'][number]['kind'], number, string][]): MessageState => ({
  task_prompt: 'Buy',
  items: items.map(([kind, secs, content]) => ({
    role: kind === 'question' ? 'agent' : 'user',
    kind,
    content,
    recorded_at: at(secs),
  })),
  pending_question: null,
});
const inWords = (items: TimelineItem[]) =>
  items.map((item) => {
    if (item.type === 'step') return `${item.state} ${item.title}`;
    if (item.type === 'question') return `asks ${item.text}${item.answer ? ` = ${item.answer.text}` : ''}`;
    if (item.type === 'decision') return `wants ${item.goal}`;
    return item.type === 'handover' ? `${item.isNow ? 'drives' : 'drove'} ${item.ms}` : `${item.type} ${item.text}`;
  });
const plan = ['Step 1', 'Step 2', 'Third', 'Fourth', 'Fifth'];

describe('the timeline of a task', () => {
  it('has the prompt, the steps that ended, the one that runs and those to come', () => {
    const items = buildTimeline({ status, messages: said(['prompt', 0, 'Buy']), plan });
    assert.deepEqual(inWords(items), [
      'prompt Buy',
      'done Step 1',
      'done Step 2',
      'running Third',
      'coming Fourth',
      'coming Fifth',
    ]);
  });

  it('has handovers, notes, and questions with their answers, in the order of time', () => {
    const messages = said(
      ['prompt', 0, 'Buy'],
      ['question', 2, 'Which?'],
      ['answer', 2.5, 'Brass'],
      ['note', 9, 'Signed in'],
    );
    const bands = [
      { kind: 'you', from: start + 5000, to: start + 9000 } as const,
      { kind: 'agent', from: start + 9000, to: start + 9500 } as const,
    ];
    const asked = { ...status, agent_history: [entry(1, 1), entry(2, 3, { action: 'ask', title: 'Ask' })] };
    assert.deepEqual(inWords(buildTimeline({ status: asked, messages, bands })), [
      'prompt Buy',
      'done Step 1',
      'asks Which? = Brass',
      'drove 4000',
      'note Signed in',
      'running Third',
    ]);
  });

  it('shows the open question once, as what waits for an answer', () => {
    const question = {
      text: 'Which?',
      step_id: 'step-3',
      asked_at: at(4),
      expires_at: null,
      until: null,
      options: null,
    };
    const asking: TaskStatus = { ...status, status: 'awaiting_user', question };
    for (const messages of [said(['prompt', 0, 'Buy'], ['question', 4, 'Which?']), said(['prompt', 0, 'Buy']), null]) {
      const items = buildTimeline({ status: asking, messages, plan });
      const questions = items.filter((item) => item.type === 'question');
      assert.equal(questions.length, 1);
      assert.equal(questions[0]?.open, question);
      assert.ok(!items.some((item) => item.type === 'step' && item.state === 'running'));
    }
  });

  it('has each step once, as it was tried last, and says which were never run', () => {
    const failed: TaskStatus = {
      ...status,
      status: 'failed',
      agent_history: [entry(1, 1), entry(2, 3, { status: 'failed' }), entry(2, 5, { status: 'failed', attempts: 2 })],
      current_step: 2,
    };
    const items = buildTimeline({ status: failed, messages: null, plan });
    assert.deepEqual(inWords(items), [
      'done Step 1',
      'failed Step 2',
      'not_run Third',
      'not_run Fourth',
      'not_run Fifth',
    ]);
    const [, second] = items;
    assert.ok(second?.type === 'step');
    assert.deepEqual([second.tries, second.failures.map(({ number }) => number)], [2, [1]]);
  });

  it('shows an attempt that was cut off by itself, before the one of the next agent', () => {
    const lost: TaskStatus = {
      ...status,
      agent_history: [
        entry(1, 1),
        entry(2, 3, { status: 'interrupted', message: 'The agent was lost.' }),
        entry(2, 5, { attempts: 2 }),
      ],
    };
    const items = buildTimeline({ status: lost, messages: null });
    assert.deepEqual(inWords(items), ['done Step 1', 'interrupted Step 2', 'done Step 2', 'running Third']);
    assert.equal(new Set(items.map(({ key }) => key)).size, items.length);
  });

  it('shows a step that is tried again as the one that runs, with what failed before', () => {
    const again = { ...status, agent_history: [entry(1, 1), entry(2, 3), entry(3, 4, { status: 'failed' })] };
    const items = buildTimeline({ status: again, messages: null, plan });
    assert.deepEqual(inWords(items).slice(1, 4), ['done Step 2', 'running Third', 'coming Fourth']);
    const running = items[2];
    assert.deepEqual(running?.type === 'step' && [running.tries, running.failures.length], [2, 1]);
  });

  it('shows both attempts of two agents, also where the first one failed', () => {
    const step = (attempts: number, status: 'failed' | 'success', secs: number) => ({
      step_id: 'step-1',
      index: 1,
      title: 'Step 1',
      action: 'click',
      status,
      attempts,
      intent_at: at(secs),
      effect_at: at(secs + 1),
      wait_ms: 0,
      run_ms: 100,
      error: null,
    });
    const execution = (attempt: number, steps: ReturnType<typeof step>[]) => ({
      execution_id: `e${attempt}`,
      attempt,
      agent_id: 'a',
      host_id: null,
      started_at: at(0),
      finished_at: null,
      outcome: null,
      reason: null,
      steps,
    });
    const executions = [
      execution(1, [step(1, 'failed', 1), step(2, 'failed', 2)]),
      execution(2, [step(3, 'failed', 4), step(4, 'success', 6)]),
    ];
    const items = buildTimeline({ status: undefined, messages: null, attempts: attemptsOf([], executions) });
    assert.deepEqual(inWords(items), ['failed Step 1', 'failed Step 1', 'done Step 1']);
    const last = items.at(-1);
    assert.deepEqual(last?.type === 'step' && last.failures.map(({ number }) => number), [3]);
  });

  it('has with each step what the policy said of it, from the history and from the ledger', () => {
    const policy = { class: 'commit', outcome: 'ask', sentence: 'It pays.', approved_by: 'ada' } as const;
    const history = [entry(1, 1), entry(2, 3, { policy })];
    const verdicts = buildTimeline({ status: { ...status, agent_history: history }, messages: null }).map((item) =>
      item.type === 'step' ? item.verdict : undefined,
    );
    assert.deepEqual(verdicts.slice(0, 2), [undefined, policy]);
    const step = {
      ...{ step_id: 'step-1', index: 1, title: 'Step 1', action: 'click', status: 'success', attempts: 1 },
      ...{ intent_at: at(0), effect_at: at(1), wait_ms: 0, run_ms: 100, error: null, observation_id: null, policy },
    } as const;
    const execution = {
      ...{ execution_id: id, attempt: 1, agent_id: id, host_id: null, epoch: null, outcome: null },
      ...{ started_at: at(0), finished_at: null, steps: [step] },
    } as unknown as Execution;
    assert.deepEqual(attemptsOf([], [execution])[0]?.verdict, policy);
  });

  it('does not show an attempt that only asked for a yes, and does not count it', () => {
    const policy = { class: 'commit', outcome: 'ask', sentence: 'It pays.' } as const;
    const asking = entry(2, 3, { status: 'failed', message: 'It waits for a yes.', policy });
    const waiting = buildTimeline({ status: { ...status, agent_history: [entry(1, 1), asking] }, messages: null });
    assert.deepEqual(inWords(waiting), ['done Step 1', 'running Third']);
    const done = entry(2, 9, { attempts: 2, policy: { ...policy, approved_by: 'ada' } });
    const [, step] = buildTimeline({
      status: { ...status, agent_history: [entry(1, 1), asking, done] },
      messages: null,
    });
    assert.ok(step?.type === 'step');
    assert.deepEqual([step.state, step.tries, step.failures], ['done', 1, []]);
    const failed = { ...done, status: 'failed' as const };
    assert.equal(attemptsOf([asking, failed]).length, 1, 'what was tried after the yes is an attempt');
  });

  it('keeps the place of steps that are older than the status, until they are read', () => {
    const messages = said(['prompt', 0, 'Buy'], ['note', 2, 'A note']);
    const late = { ...status, agent_history: [entry(3, 5)], current_step: 4, current_step_title: 'Fourth' };
    assert.deepEqual(inWords(buildTimeline({ status: late, messages, plan })), [
      'prompt Buy',
      'earlier Step 1',
      'earlier Step 2',
      'note A note',
      'done Step 3',
      'running Fourth',
      'coming Fifth',
    ]);
    const attempts = attemptsOf([entry(1, 1), entry(2, 3), entry(3, 5)]);
    assert.deepEqual(inWords(buildTimeline({ status: late, messages, plan, attempts })).slice(0, 5), [
      'prompt Buy',
      'done Step 1',
      'note A note',
      'done Step 2',
      'done Step 3',
    ]);
  });
});

describe('the view of a task', () => {
  const logged = (seq: number) => ({ seq, session_id: id, recorded_at: at(seq), task_id: id });

  it('goes on by seq, and ends', () => {
    const { total_steps, started_at, finished_at, last_error, last_updated_at } = status;
    const progress = { status: status.status, total_steps, started_at, finished_at, last_error, last_updated_at };
    const events: TaskEvent[] = [
      { type: 'agent_history', ...logged(6), agent_history: entry(3, 6) },
      { type: 'agent_history', ...logged(6), agent_history: entry(3, 6) },
      { type: 'status', ...logged(7), status: { ...progress, current_step: 4, current_step_title: 'Fourth' } },
      { type: 'result', ...logged(8), result: { summary: 'Done', data: null, files: [] } },
      { type: 'end', task_id: id, status: 'success' },
    ];
    const view = events.reduce(applyTask, restoreTask(status));
    assert.equal(view.agent_history.length, 3);
    assert.equal(view.current_step_title, 'Fourth');
    assert.equal(view.result?.summary, 'Done');
    assert.equal(view.status, 'success');
    assert.equal(view.title, 'Buy');
  });

  it('is the same object where an event says nothing of it', () => {
    const view = restoreTask(status);
    assert.equal(applyTask(view, { type: 'overlay', ...logged(6) } as TaskEvent), view);
    assert.equal(applyTask(view, { type: 'log', ...logged(7) } as TaskEvent), view);
  });

  it('takes pictures of observations as evidence, and the question of the messages', () => {
    const observation = {
      observation_id: id,
      task_id: id,
      step_id: 'step-3',
      seq: 6,
      recorded_at: at(6),
      kind: 'screenshot',
      url: null,
      title: null,
      summary: 'Third',
      data: null,
      artifact: { content_type: 'image/jpeg', byte_len: 9, width: 1, height: 1, path: '/p' },
    } as const;
    const question = { text: 'Which?', step_id: null, asked_at: at(7), expires_at: null, until: null, options: null };
    const messages = { task_prompt: 'Buy', items: [], pending_question: question };
    const events: TaskEvent[] = [
      { type: 'observation', ...logged(6), observation },
      { type: 'message_state', ...logged(7), message_state: messages },
    ];
    const view = events.reduce(applyTask, restoreTask(status));
    assert.equal(view.recent_evidence[0]?.label, 'Third');
    assert.equal(view.question, question);
  });
});
