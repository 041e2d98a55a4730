import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Takeover, TaskProgress } from '../live/api-types.ts';
import { type AxisEvent, axisMarks, type Band, buildAxis } from './axis-model.ts';

const id = '0198c4a1-0000-7000-8000-000000000001';
const start = Date.parse('2026-11-01T12:00:00.000Z');
const at = (secs: number) => new Date(start + secs * 1000).toISOString();
let seq = 0;

function task(secs: number, status: TaskProgress['status'], current_step = 0, task_id = id): AxisEvent {
  seq += 1;
  const progress: TaskProgress = {
    status,
    total_steps: 4,
    current_step,
    current_step_title: '',
    started_at: null,
    finished_at: null,
    last_error: null,
    last_updated_at: at(secs),
  };
  return { type: 'task', seq, session_id: id, recorded_at: at(secs), task_id, status: progress };
}
function wheel(secs: number, status: Takeover['status'], held_by: string | null = 'me'): AxisEvent {
  seq += 1;
  const route = { session: id, page: null, frame: null, url: null, title: null };
  const takeover: Takeover = {
    takeover_id: id,
    status,
    requested_at: at(secs),
    activated_at: null,
    ended_at: null,
    expires_at: at(secs),
    requested_by: 'me',
    held_by,
    epoch: 1,
    reason: null,
    route,
  };
  return { type: 'takeover', seq, session_id: id, recorded_at: at(secs), task_id: id, takeover };
}
const inWords = (bands: Band[]) =>
  bands.map(({ kind, step, from, to }) => `${kind}${step ?? ''} ${(from - start) / 1000}-${(to - start) / 1000}`);

describe('the time axis', () => {
  const events = [
    task(0, 'pending'),
    task(1, 'running'),
    task(2, 'running', 1),
    task(5, 'running', 2),
    wheel(8, 'requested'),
    task(8, 'takeover', 2),
    wheel(10, 'active'),
    wheel(20, 'resuming'),
    wheel(21, 'ended'),
    task(21, 'running', 3),
    task(25, 'awaiting_user', 3),
    task(30, 'running', 3),
    task(32, 'success', 4),
  ];

  it('says who drove from when to when, with the steps', () => {
    const axis = buildAxis({ events, taskId: id, me: 'me', now: start + 500_000 });
    assert.deepEqual(inWords(axis.bands), [
      'idle 0-1',
      'agent1 1-5',
      'agent2 5-8',
      'waiting 8-10',
      'you 10-20',
      'agent2 20-21',
      'agent3 21-25',
      'waiting 25-30',
      'agent3 30-32',
    ]);
    assert.equal(axis.to, start + 32_000);
    assert.equal(axis.personMs, 10_000);
    assert.equal(axis.agentMs, 14_000);
  });

  it('goes on to now while the task runs, and while a person drives after it', () => {
    const running = buildAxis({ events: events.slice(0, 4), taskId: id, me: 'me', now: start + 9000 });
    assert.equal(inWords(running.bands).at(-1), 'agent2 5-9');
    const later = buildAxis({ events: [...events, wheel(40, 'active')], taskId: id, me: 'me', now: start + 50_000 });
    assert.deepEqual(inWords(later.bands).slice(-2), ['idle 32-40', 'you 40-50']);
  });

  it('begins with its own task, and has another person in another colour', () => {
    const before = [task(-20, 'running', 7, 'another'), task(-2, 'success', 7, 'another')];
    const axis = buildAxis({
      events: [...before, ...events.slice(0, 4), wheel(6, 'active', 'mara')],
      taskId: id,
      me: 'me',
      now: start + 9000,
    });
    assert.equal(axis.from, start);
    assert.equal(inWords(axis.bands).at(-1), 'other 6-9');
  });

  it('cuts failed attempts out of the time of the agent', () => {
    const failed = { status: 'failed', intent_at: at(3), effect_at: at(4) } as const;
    const axis = buildAxis({ events: events.slice(0, 4), taskId: id, me: 'me', attempts: [failed], now: start + 9000 });
    assert.deepEqual(inWords(axis.bands), ['idle 0-1', 'agent1 1-3', 'failed1 3-4', 'agent1 4-5', 'agent2 5-9']);
  });

  it('is empty without events', () => {
    assert.deepEqual(buildAxis({ events: [], taskId: id, me: 'me', now: start }).bands, []);
  });
});

it('marks of the axis are round times', () => {
  assert.deepEqual(
    axisMarks(206_000).map((ms) => ms / 1000),
    [0, 30, 60, 90, 120, 150, 180],
  );
  assert.deepEqual(
    axisMarks(3000).map((ms) => ms / 1000),
    [0, 1, 2, 3],
  );
});
