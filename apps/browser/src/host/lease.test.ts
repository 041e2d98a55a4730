import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Bus, connectBus, type Heartbeat, heartbeat, queues } from '@pilothouse/bus';
import { startNats } from '@pilothouse/bus/testing';
import { createLog } from '@pilothouse/process';
import { until } from '../../../../testkit/until.ts';
import { holdLease, type Lease } from './lease.ts';
import { createLoadMeter } from './machine-load.ts';

type Options = {
  bus: Pick<Bus, 'request'>;
  everyMs?: number;
  now?: () => number;
  isKeptFromStart?: boolean;
  keepMs?: number;
};
type Seen = { held: number; lost: number; keepOver: number; elsewhere: string[] };

const keepMs = 5000;

function hold(options: Options): { lease: Lease; seen: Seen } {
  const seen: Seen = { held: 0, lost: 0, keepOver: 0, elsewhere: [] };
  const lease = holdLease({
    log: createLog('h6', 'silent'),
    hostId: 'h6',
    bootId: randomUUID(),
    tell: () => ({ capacity: 3, sessions: [], load: createLoadMeter()() }),
    onHeld() {
      seen.held += 1;
    },
    onLost() {
      seen.lost += 1;
    },
    onOpenedElsewhere(sessions) {
      for (const { session_id, epoch } of sessions) seen.elsewhere.push(`${session_id} ${epoch} ${lease.isHeld()}`);
    },
    keepMs,
    onKeepOver() {
      seen.keepOver += 1;
    },
    ...options,
  });
  return { lease, seen };
}

describe('a lease over the bus', () => {
  it('is held while agents answer heartbeats', async () => {
    const nats = await startNats({ hosts: ['h6'] });
    const [agent, host] = await Promise.all([connectBus(nats.as('agent')), connectBus(nats.as({ host: 'h6' }))]);
    try {
      const beats: Heartbeat[] = [];
      const grant = agent.respond(
        heartbeat,
        {},
        (beat) => {
          beats.push(beat);
          return { lease_ms: 1500 };
        },
        { queue: queues.heartbeat },
      );
      await grant.ready({ timeoutMs: 2000 });
      const { lease, seen } = hold({ bus: host });
      assert.ok(!lease.isHeld());
      await until(lease.isHeld, 5000);
      // The fifth is sent when the first lease would have run out.
      await until(() => beats.length >= 5, 10_000);
      assert.ok(lease.isHeld());
      lease.close();
      assert.deepEqual(seen, { held: 1, lost: 0, keepOver: 0, elsewhere: [] });
      assert.ok(!lease.isHeld(), 'closed is not held');
      const [beat] = beats;
      assert.equal(beat?.capacity, 3);
      assert.ok(beat.load && beat.load.memory > 0 && beat.load.memory < 1, 'says how full the machine is');
    } finally {
      await Promise.all([agent.close(), host.close()]);
      await nats.close();
    }
  });
});

describe('a lease by the clock', () => {
  /** What agents answer; without `grantMs` they do not. Answers to heartbeats sent from now on wait for `heldBack`. */
  type Agents = {
    grantMs?: number | undefined;
    heldBack?: Promise<void> | undefined;
    elsewhere?: { session_id: string; epoch: number }[];
  };

  /** A lease whose clock is moved by hand. */
  function holdByHand(
    t: TestContext,
    agents: Agents,
    everyMs?: number,
    start: Pick<Options, 'isKeptFromStart' | 'keepMs'> = {},
  ) {
    t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1000 });
    let beats = 0;
    const request = async () => {
      beats += 1;
      await agents.heldBack;
      if (agents.grantMs === undefined) return { ok: false, reason: 'no_responders', mayHaveActed: false };
      return { ok: true, reply: { lease_ms: agents.grantMs, opened_elsewhere: agents.elsewhere ?? [] } };
    };
    // The lease sends nothing but heartbeats.
    const bus = { request: request as unknown as Bus['request'] };
    const { lease, seen } = hold({ bus, everyMs, now: () => Date.now(), ...start });
    t.after(() => lease.close());
    /** As a process that runs: timers fire when they are due. */
    async function pass(ms: number): Promise<void> {
      for (let passed = 0; passed < ms; passed += 10) {
        t.mock.timers.tick(10);
        await nextTurn();
      }
    }
    /** As a process that is stopped: nothing runs, and time goes on. */
    const freeze = (ms: number) => t.mock.timers.setTime(Date.now() + ms);
    return { lease, seen, beats: () => beats, pass, freeze };
  }

  it('is renewed in time however short it is', async (t) => {
    const { lease, seen, beats, pass } = holdByHand(t, { grantMs: 300 });
    await nextTurn();
    assert.ok(lease.isHeld());
    await pass(3000);
    assert.ok(lease.isHeld());
    assert.equal(seen.held, 1);
    assert.ok(beats() > 25 && beats() < 35, `${beats()} heartbeats in ten leases`);
  });

  it('ends when no agent answers, counted from the heartbeat', async (t) => {
    const answer = Promise.withResolvers<void>();
    const agents: Agents = { grantMs: 1500 };
    const { lease, seen, pass } = holdByHand(t, agents);
    agents.heldBack = answer.promise;
    await nextTurn();
    assert.ok(lease.isHeld(), 'by the first heartbeat, which was answered');
    // The second heartbeat is sent after 500 ms and answered 300 ms later.
    await pass(800);
    agents.heldBack = undefined;
    answer.resolve();
    await nextTurn();
    agents.grantMs = undefined;
    await pass(1190);
    assert.ok(lease.isHeld());
    await pass(10);
    assert.ok(!lease.isHeld());
    await pass(3000);
    agents.grantMs = 1500;
    await pass(250);
    assert.ok(lease.isHeld(), 'and comes back');
    assert.deepEqual([seen.held, seen.lost, seen.keepOver], [2, 1, 0]);
  });

  it('is kept while one of several agents stands still, and an answer that comes late shortens nothing', async (t) => {
    const late = Promise.withResolvers<void>();
    const agents: Agents = { grantMs: 1500 };
    const { lease, seen, beats, pass } = holdByHand(t, agents);
    await nextTurn();
    agents.heldBack = late.promise;
    await pass(600);
    assert.equal(beats(), 2, 'the second is not answered');
    agents.heldBack = undefined;
    await pass(1000);
    assert.ok(lease.isHeld(), 'the third was, by another agent');
    late.resolve();
    await nextTurn();
    agents.grantMs = undefined;
    // The third heartbeat was sent after 1000 ms, later ones after 1500.
    await pass(1300);
    assert.ok(lease.isHeld());
    assert.equal(seen.held, 1);
  });

  it('is not held after the process stood still for longer, also before any timer ran', async (t) => {
    const agents: Agents = { grantMs: 300 };
    const { lease, freeze } = holdByHand(t, agents);
    await nextTurn();
    assert.ok(lease.isHeld());
    freeze(400);
    assert.ok(!lease.isHeld());
  });

  it('that ran out is lost also when the answer is read before the timer', async (t) => {
    const agents: Agents = { grantMs: 300 };
    const { lease, seen, beats, pass, freeze } = holdByHand(t, agents);
    await nextTurn();
    // The answer to the next heartbeat is under way while nothing runs here, and grants far beyond the stop.
    const answer = Promise.withResolvers<void>();
    agents.heldBack = answer.promise;
    agents.grantMs = 5000;
    await pass(100);
    assert.equal(beats(), 2);
    freeze(400);
    answer.resolve();
    await nextTurn();
    assert.ok(lease.isHeld());
    await pass(1000);
    assert.deepEqual([seen.held, seen.keepOver], [2, 0]);
  });

  it('is not held where the granted time is over already', async (t) => {
    const answer = Promise.withResolvers<void>();
    const { lease, seen, beats, pass } = holdByHand(t, { grantMs: 50, heldBack: answer.promise }, 400);
    await pass(90);
    answer.resolve();
    await nextTurn();
    assert.equal(beats(), 1);
    assert.equal(seen.held, 0);
    assert.ok(!lease.isHeld());
  });

  it('that has run out leaves the browsers for the keep time, and ends them once after it', async (t) => {
    const agents: Agents = { grantMs: 1500 };
    const { seen, pass } = holdByHand(t, agents);
    await nextTurn();
    agents.grantMs = undefined;
    await pass(1500 + keepMs - 20);
    assert.equal(seen.keepOver, 0);
    await pass(40);
    assert.equal(seen.keepOver, 1);
    await pass(2 * keepMs);
    assert.equal(seen.keepOver, 1, 'once');
  });

  it('that a host never gets ends it after the keep time, if it may be refused for ever', async (t) => {
    const agents: Agents = {};
    const { seen, pass } = holdByHand(t, agents, undefined, { isKeptFromStart: true, keepMs: 150_000 });
    await pass(150_000 - 20);
    assert.equal(seen.keepOver, 0);
    await pass(40);
    assert.deepEqual([seen.keepOver, seen.lost], [1, 0]);
  });

  it('has two minutes to come to a new host, also where no browser is kept without it', async (t) => {
    const agents: Agents = {};
    const { lease, seen, pass } = holdByHand(t, agents, undefined, { isKeptFromStart: true, keepMs: 0 });
    await pass(119_000);
    agents.grantMs = 1500;
    await pass(1000);
    assert.deepEqual([lease.isHeld(), seen.held, seen.keepOver], [true, 1, 0]);
    agents.grantMs = undefined;
    await pass(1600);
    assert.deepEqual([seen.lost, seen.keepOver], [1, 1], 'later it ends with the lease');
  });

  it('that a new host does not get in two minutes ends it, where no browser is kept without it', async (t) => {
    const { seen, pass } = holdByHand(t, {}, undefined, { isKeptFromStart: true, keepMs: 0 });
    await pass(120_000 - 20);
    assert.equal(seen.keepOver, 0);
    await pass(40);
    assert.deepEqual([seen.keepOver, seen.lost], [1, 0]);
  });

  it('that comes back within the keep time ends no browser, and the time begins again', async (t) => {
    const agents: Agents = { grantMs: 1500 };
    const { seen, pass } = holdByHand(t, agents);
    await nextTurn();
    for (let outage = 0; outage < 3; outage += 1) {
      agents.grantMs = undefined;
      await pass(1500 + keepMs - 500);
      agents.grantMs = 1500;
      await pass(250);
    }
    assert.deepEqual([seen.held, seen.keepOver], [4, 0]);
  });

  it('that comes back to a process that stood still beyond the keep time ends the browsers first', async (t) => {
    const agents: Agents = { grantMs: 300 };
    const { lease, seen, pass, freeze } = holdByHand(t, agents);
    await nextTurn();
    const answer = Promise.withResolvers<void>();
    agents.heldBack = answer.promise;
    agents.grantMs = 60_000;
    await pass(100);
    freeze(300 + keepMs);
    answer.resolve();
    await nextTurn();
    assert.ok(lease.isHeld());
    assert.equal(seen.keepOver, 1);
  });

  it('is not renewed before the host knows which sessions are elsewhere', async (t) => {
    const agents: Agents = { grantMs: 1500, elsewhere: [{ session_id: 's1', epoch: 3 }] };
    const { lease, seen } = holdByHand(t, agents);
    await nextTurn();
    assert.ok(lease.isHeld());
    assert.deepEqual(seen.elsewhere, ['s1 3 false']);
  });
});
