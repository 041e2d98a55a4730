import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RecordingBand } from '../live/api-types.ts';
import type { Attempt } from './attempts.ts';
import {
  axisMarks,
  type Band,
  bandAt,
  buildAxis,
  createGrowingAxis,
  foldBands,
  isPrivateAt,
  stepAt,
} from './axis-model.ts';

const id = '0198c4a1-0000-7000-8000-000000000001';
const start = Date.parse('2026-11-01T12:00:00.000Z');
const at = (secs: number) => new Date(start + secs * 1000).toISOString();

const band = (
  kind: RecordingBand['kind'],
  from: number,
  to: number | null,
  more: Partial<RecordingBand> = {},
): RecordingBand => ({
  kind,
  from: at(from),
  to: to === null ? null : at(to),
  task_id: kind === 'idle' ? null : id,
  step_id: null,
  private: kind === 'person',
  held_by: kind === 'person' ? 'me' : null,
  ...more,
});
const attempt = (index: number, from: number, to: number, number = 1): Attempt => ({
  stepId: `step-${index}`,
  index,
  title: `Step ${index}`,
  action: 'click',
  status: 'success',
  number,
  from: start + from * 1000,
  to: start + to * 1000,
  ranMs: 100,
  message: null,
  thinking: null,
  evaluation: null,
  nextGoal: null,
});
const inWords = (bands: Band[]) =>
  bands.map(({ kind, step, from, to }) => `${kind}${step ?? ''} ${(from - start) / 1000}-${(to - start) / 1000}`);
const about = { taskId: id, me: 'me', now: start + 500_000 };

describe('the time axis', () => {
  const bands = [
    band('idle', 0, 1),
    band('agent', 1, 8),
    band('waiting', 8, 10),
    band('person', 10, 20),
    band('agent', 20, 25),
    band('failed', 25, 26, { step_id: 'step-3' }),
    band('agent', 26, 32),
    band('idle', 32, null),
  ];
  const attempts = [attempt(1, 2, 5), attempt(2, 6, 8), attempt(3, 25, 26), attempt(3, 27, 30, 2), attempt(4, 30, 31)];

  it('says who drove from when to when, with the steps of the agent', () => {
    const axis = buildAxis({ bands, attempts, ...about });
    assert.deepEqual(inWords(axis.bands), [
      'idle 0-1',
      'agent1 1-5',
      'agent2 5-8',
      'waiting 8-10',
      'you 10-20',
      'agent3 20-25',
      'failed3 25-26',
      'agent3 26-30',
      'agent4 30-32',
    ]);
    assert.equal(axis.to, start + 32_000);
    assert.equal(axis.personMs, 10_000);
    assert.equal(axis.agentMs, 19_000);
    assert.equal(stepAt(axis, start + 7000)?.index, 2);
    assert.equal(bandAt(axis, start + 9000)?.kind, 'waiting');
    assert.deepEqual([isPrivateAt(axis, start + 15_000), isPrivateAt(axis, start + 21_000)], [true, false]);
  });

  it('goes on to now while the task runs, with the step that is being done', () => {
    const running = buildAxis({
      bands: [band('agent', 1, null)],
      attempts: attempts.slice(0, 1),
      current: 2,
      ...about,
      now: start + 9000,
    });
    assert.deepEqual(inWords(running.bands), ['agent1 1-5', 'agent2 5-9']);
    const pending = buildAxis({ bands: [band('idle', 0, null)], isPending: true, ...about, now: start + 3000 });
    assert.deepEqual(inWords(pending.bands), ['idle 0-3']);
  });

  it('grows with the last band, and is drawn again when that can be seen', () => {
    const running = createGrowingAxis({ bands: [band('agent', 0, null)], taskId: id, me: 'me' });
    const first = running.at(start + 1_000_000);
    const second = running.at(start + 1_001_000);
    assert.deepEqual([first.to - start, second.to - start, second.agentMs], [1_000_000, 1_001_000, 1_001_000]);
    const drawn = running.drawnAt(start + 1_001_000);
    assert.equal(running.drawnAt(start + 1_003_000), drawn);
    assert.equal(running.drawnAt(start + 1_004_000).to, start + 1_004_000);
    const young = createGrowingAxis({ bands: [band('agent', 0, null)], taskId: id, me: 'me' });
    assert.notEqual(young.drawnAt(start + 60_000), young.drawnAt(start + 61_000));
  });

  it('is the same object when nothing goes on', () => {
    const ended = createGrowingAxis({ bands, attempts, taskId: id, me: 'me' });
    assert.equal(ended.at(start + 40_000), ended.at(start + 90_000));
    const empty = createGrowingAxis({ bands: [], taskId: id, me: 'me' });
    assert.deepEqual(empty.at(start + 90_000).bands, []);
  });

  it('has no number where the steps are not read yet', () => {
    const axis = buildAxis({ bands: [band('agent', 0, 32)], attempts: attempts.slice(3), ...about });
    assert.deepEqual(inWords(axis.bands), ['agent 0-27', 'agent3 27-30', 'agent4 30-32']);
  });

  it('has another person in another colour, and ends where a later task begins', () => {
    const other = { task_id: '0198c4a1-0000-7000-8000-000000000002' };
    const axis = buildAxis({
      bands: [
        band('agent', -3, 0, other),
        band('agent', 0, 4),
        band('person', 4, 6, { held_by: 'mara' }),
        band('person', 6, 8, { held_by: 'mara', task_id: null }),
        band('idle', 8, 9),
        band('person', 9, 12, other),
        band('agent', 12, null, other),
      ],
      ...about,
    });
    assert.deepEqual(inWords(axis.bands), ['idle -3-0', 'agent 0-4', 'other 4-8']);
  });

  it('draws a thousand steps as a few hundred bands, and a failure among them in its colour', () => {
    const many = Array.from({ length: 1000 }, (_, index) => attempt(index + 1, index, index + 1));
    const axis = buildAxis({
      bands: [band('agent', 0, 500), band('failed', 500, 500.5, { step_id: 'step-501' }), band('agent', 500.5, 1000)],
      attempts: many,
      ...about,
    });
    const drawn = foldBands(axis);
    assert.ok(axis.bands.length > 1000 && drawn.length < 500, `${drawn.length}`);
    assert.ok(drawn.some(({ kind }) => kind === 'failed'));
    assert.deepEqual([drawn[0]?.from, drawn.at(-1)?.to], [axis.from, axis.to]);
  });

  it('is empty without bands', () => {
    assert.deepEqual(buildAxis({ bands: [], ...about }).bands, []);
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
