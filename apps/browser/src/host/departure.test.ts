import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog } from '@pilothouse/process';
import { until } from '../../../../testkit/until.ts';
import { createDeparture } from './departure.ts';

describe('a host that is told to end', () => {
  function open({ sessions, drainMs }: { sessions: number; drainMs: number }) {
    const told: object[] = [];
    const state = { sessions, isHeld: true };
    const hurry = new AbortController();
    const departure = createDeparture({
      drainMs,
      log: createLog('departure', 'silent'),
      lease: () => ({ isHeld: () => state.isHeld, tellNow: () => told.push(departure.tell()) }),
      countSessions: () => state.sessions,
      everyMs: 5,
    });
    return { departure, state, told, hurry };
  }

  it('says nothing where it has no session, or may not wait', async () => {
    for (const options of [
      { sessions: 0, drainMs: 60_000 },
      { sessions: 3, drainMs: 0 },
    ]) {
      const { departure, told, hurry } = open(options);
      await departure.begin(hurry.signal);
      assert.deepEqual([told, departure.tell()], [[], {}]);
    }
  });

  it('takes no more at once, and ends when its sessions have left', async () => {
    const { departure, state, told, hurry } = open({ sessions: 2, drainMs: 60_000 });
    const begun = departure.begin(hurry.signal);
    assert.deepEqual(told, [{ capacity: 0, is_leaving: false }]);
    assert.ok(departure.isBegun());
    state.sessions = 0;
    await begun;
    assert.equal(told.length, 1, 'nobody was asked to leave in mid-task');
  });

  it('asks for what still works to go on elsewhere, and does not wait for ever', async () => {
    const { departure, told, hurry } = open({ sessions: 1, drainMs: 100 });
    await departure.begin(hurry.signal);
    assert.deepEqual(told, [
      { capacity: 0, is_leaving: false },
      { capacity: 0, is_leaving: true },
    ]);
  });

  it('does not wait where no agent hears it', async () => {
    const { departure, state, hurry } = open({ sessions: 1, drainMs: 60_000 });
    let isOver = false;
    void departure.begin(hurry.signal).then(() => (isOver = true));
    state.isHeld = false;
    await until(() => isOver, 10_000);
  });

  it('waits no longer where it is hurried', async () => {
    const { departure, told, hurry } = open({ sessions: 1, drainMs: 60_000 });
    const begun = departure.begin(hurry.signal);
    hurry.abort();
    await begun;
    assert.equal(told.length, 1);
  });
});
