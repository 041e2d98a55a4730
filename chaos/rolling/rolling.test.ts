import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proxyNames, withoutProxy } from '../../testkit/proxies/proxies.ts';
import { withStack } from '../../testkit/stack/with-services.ts';
import { isRollingGood, type RollingFigures, restartInTurn } from './rolling.ts';

describe('every process is restarted with a word behind nginx, Caddy and HAProxy', () => {
  const missing = proxyNames.flatMap((name) => withoutProxy(name) || []);

  it('and no call fails, no stream has a gap, nothing is done twice, nobody loses a browser', {
    skip: missing.length > 0 && missing.join('; '),
  }, async () => {
    const figures = await withStack(`rolling-${process.pid}`, (stack) => restartInTurn({ stack, rounds: 1 }));
    console.log(JSON.stringify(figures));
    assert.ok(isRollingGood(figures), JSON.stringify(figures));
  });

  it('and a run holds only where each proxy was tried, and every refusal of a press is one of a move', () => {
    const good: RollingFigures = {
      ...{ rounds: 1, calls: 9, cut_below: {}, stream_connections: 3, failed: [], gaps: [], restart_ms: {} },
      tasks: { nginx: 1, caddy: 1, haproxy: 1 },
      ...{ tasks_not_done: [], done_twice: [], not_done: [], takeovers_lost: [] },
      presses: { nginx: 2, caddy: 2, haproxy: 2 },
      ...{ presses_refused_in_a_move: 1, longest_refusal_ms: 400, presses_arrived: 7 },
    };
    assert.ok(isRollingGood(good));
    const { haproxy: _, ...two } = good.tasks;
    assert.ok(isRollingGood({ ...good, tasks: two }, ['nginx', 'caddy']));
    for (const bad of [
      { tasks: two },
      { presses: { ...good.presses, caddy: 0 } },
      { failed: ['nginx, server-1: press: ApiError conflict'] },
      { longest_refusal_ms: 20_001 },
      { presses_arrived: 8 },
    ])
      assert.ok(!isRollingGood({ ...good, ...bad }), JSON.stringify(bad));
  });
});
