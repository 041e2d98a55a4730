// What must hold of the small run of each bench.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type BenchName, benches, benchNames, type FiguresOf } from './benches.ts';
import { shareInstallation } from './installation.ts';

/** Most are so small that the figures say little: that each side was measured is tested. */
const checks: { [N in BenchName]: (figures: FiguresOf<N>) => void } = {
  slice({ chat_to_first_step_ms, change_to_frame_ms }) {
    for (const { ours, bare } of [chat_to_first_step_ms, change_to_frame_ms])
      assert.ok(ours.count >= 2 && bare.count >= 2, JSON.stringify({ ours, bare }));
  },
  actions({ script_ms, with_picture_and_state_ms, p50_by_action_ms }) {
    for (const { ours, bare } of [script_ms, with_picture_and_state_ms])
      assert.deepEqual([ours.count, bare.count], [1, 1]);
    assert.ok(Object.keys(p50_by_action_ms).length >= 10);
  },
  cdp({ own, guest }) {
    assert.deepEqual([own.acts_ms.ours.count, own.acts_ms.before.count], [3, 3]);
    assert.deepEqual([guest.acts_ms.guest.count, guest.acts_ms.host.count], [3, 3]);
    assert.deepEqual([Object.keys(own.by_act_ms).length, Object.keys(guest.by_act_ms).length], [6, 5]);
  },
  relay({ script_ms: { ours, bare }, round_trip_ms }) {
    assert.deepEqual([ours.count, bare.count], [1, 1]);
    assert.deepEqual([round_trip_ms.ours.count, round_trip_ms.bare.count], [20, 20]);
  },
  // Times say nothing of a small run: they are in the full one.
  view({ hard: { ours, playwright }, list, table, article }) {
    assert.ok(ours.facts >= 36 && ours.facts > playwright.facts, JSON.stringify(ours));
    assert.deepEqual([ours.secrets, ours.unseen], [0, 0]);
    assert.ok(ours.tokens <= 650, `${ours.tokens} tokens`);
    for (const { ratio, in_view_tokens } of [list, table, article])
      assert.ok(ratio <= 0.4 && in_view_tokens <= 1200, JSON.stringify({ ratio, in_view_tokens }));
  },
  // At most half a bare launch to the first picture, from a browser launched ahead.
  open: ({ open_to_picture_ms: { ratio } }) => assert.ok(ratio <= 0.5, `${ratio}`),
  density({ before_open, after_close }) {
    for (const [i, after] of after_close.entries()) {
      assert.equal(after.processes, before_open[i]?.processes);
      // What the host itself has learnt meanwhile stays: code, buffers. The room of its heap does not.
      assert.ok(after.pssMiB - (before_open[i]?.pssMiB ?? 0) < 20, JSON.stringify(after));
    }
  },
  sizing({ rows }) {
    assert.deepEqual(
      rows.map(({ sessions, is_watched }) => [sessions, is_watched]),
      [1, 2].flatMap((sessions) => [false, true].map((isWatched) => [sessions, isWatched])),
    );
    for (const row of rows) assert.ok(row.pss_mib > 0, JSON.stringify(row));
    for (const isWatched of [false, true])
      assert.ok(rows.some((row) => row.is_watched === isWatched && row.step_ms.count > 0 && row.step_ms.p95 > 0));
  },
  spans({ ns_per_span: { bare, off, unsampled, on, unanswered } }) {
    for (const ns of [bare, off, unsampled, on, unanswered]) assert.ok(ns > 0);
  },
  auth({ cpu_us_per_request: { log_level_warn, log_level_info } }) {
    for (const { ours, bare } of [log_level_warn, log_level_info].flatMap(({ me, sessions }) => [me, sessions]))
      assert.deepEqual([ours.count, bare.count], [1, 1]);
  },
  mcp({ call_ms }) {
    for (const { http, mcp, ratio } of [call_ms.get_task, call_ms.list_sessions]) {
      assert.deepEqual([http.count, mcp.count], [30, 30]);
      assert.ok(ratio > 0, `${ratio}`);
    }
  },
  live({ change_to_frame_ms, press_to_frame_ms, last_state_shown }) {
    for (const { ours, ratio } of [change_to_frame_ms, press_to_frame_ms]) {
      assert.equal(ours.count, 3);
      assert.ok(ratio > 0, `${ratio}`);
    }
    assert.equal(last_state_shown.ours, 3);
  },
  wheel: ({ press_to_frame_ms: { ours } }) => assert.equal(ours.count, 3),
  watched({ frames_per_session_and_second: { ours, bare } }) {
    assert.ok(ours > 0 && bare > 0, `${ours} ${bare}`);
  },
  animated({ frames_per_second: { ours, bare } }) {
    assert.ok(ours > 0 && bare > 0, `${ours} ${bare}`);
  },
  recovery({ agent_killed_to_next_step_ms, host_killed_to_next_step_ms }) {
    assert.deepEqual([agent_killed_to_next_step_ms.count, host_killed_to_next_step_ms.count], [1, 1]);
  },
  idle({ idle_agent_per_second: { statements }, step }) {
    assert.ok(statements > 0 && statements <= 6, `${statements} statements a second`);
    const told = JSON.stringify(step);
    const own = step.statements - step.of_picture_and_state - step.while_it_runs;
    assert.ok(step.statements > 0 && own <= 13, told);
    assert.equal(step.commits, 2, told);
  },
  sessions({ few, many, ratio }) {
    for (const { steps, sessions, due_to_ended_ms } of [few, many])
      assert.ok(steps >= 2 * sessions && due_to_ended_ms.p50 > 0, JSON.stringify({ few, many }));
    assert.ok(ratio.statements_per_step < 1.2, JSON.stringify(ratio));
  },
  thinking({ decisions_per_second, loop_lag_ms: { beside }, resident_mb: { grown } }) {
    assert.ok(decisions_per_second > 0 && beside.p99 >= beside.p50, JSON.stringify(beside));
    assert.ok(grown < 100, `${grown} MB`);
  },
  loops({ look_ms, postgres_percent_of_a_core }) {
    assert.ok(Object.keys(look_ms).length > 20);
    for (const [name, { p50 }] of Object.entries(look_ms)) assert.ok(p50 < 50, `${name}: ${p50} ms`);
    assert.ok(postgres_percent_of_a_core < 20, `${postgres_percent_of_a_core} % of a core`);
  },
  retention({ left, append_ms: { alone, beside } }) {
    assert.deepEqual(left, { partitions: 0, pictures: 0, observations: 0 });
    assert.ok(alone.count > 0 && beside.count > 0, JSON.stringify({ alone, beside }));
  },
  guard(figures) {
    assert.equal(Object.keys(figures).length, 6);
    for (const [name, { ours, direct, ratio }] of Object.entries(figures))
      assert.ok(ours.count > 0 && direct.count > 0 && ratio > 0, name);
  },
  fanout: ({ delivered: { ours, bare, expected } }) => assert.deepEqual([ours, bare], [expected, expected]),
  viewers({ many, stuck }) {
    assert.ok(many.frames.ours > 0 && many.frames.bare > 0, JSON.stringify(many));
    assert.ok(stuck.frames.alone > 0 && stuck.frames.beside > 0, JSON.stringify(stuck));
  },
  join({ first_viewer_ms, further_viewer_ms }) {
    assert.deepEqual([first_viewer_ms.count, further_viewer_ms.count], [2, 2]);
  },
  crowd({ frames_per_second_each: { one, many } }) {
    assert.ok(one > 0 && many > 0, `${one} ${many}`);
  },
  // Fewer rows than the full size, and a bound that a busy machine keeps too.
  reading({ status, list_tasks, list_sessions }) {
    for (const { ratio } of [status, list_tasks, list_sessions]) assert.ok(ratio.p50 < 1.8, `${ratio.p50}`);
  },
  console({ live_view: { watched, driven }, press_to_painted_ms: { key, mouse }, soak, first_view_ms }) {
    for (const { console: ours, bare_canvas } of [watched, driven])
      assert.ok(ours.frames_per_second > 0 && bare_canvas.frames_per_second > 0, JSON.stringify({ ours, bare_canvas }));
    // 1.6 on a calm machine.
    for (const { ours, ratio_p50 } of [key, mouse]) assert.ok(ours.count === 10 && ratio_p50 < 3, `${ratio_p50}`);
    assert.ok(soak && soak.heap_spread_mib < 5 && (soak.last?.bitmaps ?? 0) <= 1, JSON.stringify(soak));
    for (const { first, again } of Object.values(first_view_ms)) assert.deepEqual([first.count, again.count], [1, 1]);
  },
  timeline({ frame_ms, nodes }) {
    assert.ok(frame_ms.count > 0, JSON.stringify(frame_ms));
    assert.ok(nodes < 3000, `${nodes} nodes`);
  },
};

/** These have a bound, or count only what comes in time, so nothing else may run beside them. */
export const boundedBenches: BenchName[] = ['slice', 'live', 'wheel', 'open', 'density', 'reading', 'console'];
/** These have browsers and no bound. */
export const browserBenches: BenchName[] = [
  'actions',
  'cdp',
  'relay',
  'sizing',
  'watched',
  'animated',
  'recovery',
  'guard',
  'join',
  'crowd',
  'timeline',
];
export const otherBenches = benchNames.filter((name) => ![...boundedBenches, ...browserBenches].includes(name));
/** A figure taken while the machine stood still says nothing of ours: what has a bound is measured again. */
const maxMeasurements = 3;

export const testSmallRuns = (names: BenchName[]): void => {
  describe('a small run of the bench', () => {
    after(shareInstallation());
    for (const name of names) it(name, (test) => check(name, test.diagnostic.bind(test)));
  });
};

async function check<N extends BenchName>(name: N, tell: (text: string) => void): Promise<void> {
  const most = boundedBenches.includes(name) ? maxMeasurements : 1;
  for (let measured = 1; ; measured++) {
    try {
      const figures = (await benches[name].small()) as FiguresOf<N>;
      tell(JSON.stringify(figures));
      return checks[name](figures);
    } catch (error) {
      if (measured === most) throw error;
      tell(`measured again: ${error}`);
    }
  }
}
