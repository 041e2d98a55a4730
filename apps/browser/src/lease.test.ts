import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus, type Heartbeat, heartbeat, queues } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { createLog } from '@pilothouse/process';
import { until } from '../testing/until.ts';
import { holdLease, type Lease } from './lease.ts';
import { createLoadMeter } from './usage.ts';

describe('a lease', () => {
  let nats: NatsForTest;
  let agent: Bus;
  let host: Bus;
  let grantMs = 0;
  let answerAfterMs = 0;
  let beats: Heartbeat[] = [];
  const held: Lease[] = [];
  afterEach(() => held.splice(0).forEach((lease) => void lease.close()));
  before(async () => {
    nats = await startNats({ hosts: ['h6'] });
    [agent, host] = await Promise.all([connectBus(nats.as('agent')), connectBus(nats.as({ host: 'h6' }))]);
    const grant = agent.respond(
      heartbeat,
      {},
      async (beat) => {
        beats.push(beat);
        await sleep(answerAfterMs);
        if (grantMs < 0) throw new Error('no agent answers');
        return { lease_ms: grantMs };
      },
      { queue: queues.heartbeat },
    );
    await grant.ready({ timeoutMs: 2000 });
  });
  after(async () => {
    await Promise.all([agent?.close(), host?.close()]);
    await nats?.close();
  });

  function hold(leaseMs: number, everyMs = 2000) {
    grantMs = leaseMs;
    answerAfterMs = 0;
    beats = [];
    const seen = { held: [] as number[], lost: [] as number[] };
    const lease = holdLease({
      bus: host,
      log: createLog('h6', 'silent'),
      hostId: 'h6',
      bootId: randomUUID(),
      tell: () => ({ capacity: 3, sessions: [], load: createLoadMeter()() }),
      onHeld: () => void seen.held.push(performance.now()),
      onLost: () => void seen.lost.push(performance.now()),
      everyMs,
    });
    held.push(lease);
    return { lease, seen };
  }
  /** As a stopped process: nothing runs, and time goes on. */
  function freeze(ms: number): void {
    const end = performance.now() + ms;
    while (performance.now() < end);
  }

  it('is held while heartbeats are answered, and is renewed in time however short it is', async () => {
    const { lease, seen } = hold(1500);
    assert.ok(!lease.isHeld());
    await until(lease.isHeld, 5000);
    await sleep(3500);
    assert.ok(lease.isHeld());
    lease.close();
    assert.deepEqual([seen.held.length, seen.lost.length], [1, 0]);
    assert.ok(!lease.isHeld(), 'closed is not held');
    const [beat] = beats;
    assert.equal(beat?.capacity, 3);
    assert.ok(beat.load && beat.load.memory > 0 && beat.load.memory < 1, 'says how full the machine is');
  });

  it('ends by itself when nobody answers, counted from the heartbeat, and its end is told once', async () => {
    const { lease, seen } = hold(1500);
    await until(lease.isHeld, 5000);
    grantMs = -1;
    await until(() => !lease.isHeld(), 5000);
    await sleep(100);
    assert.equal(seen.lost.length, 1);
    const [held = 0] = seen.held;
    const [lost = 0] = seen.lost;
    // One renewal may have come in between.
    assert.ok(lost - held > 700 && lost - held < 4000, `${lost - held} ms`);
    grantMs = 1500;
    await until(lease.isHeld, 5000);
    assert.equal(seen.held.length, 2, 'and comes back');
    lease.close();
  });

  it('is no longer held after a stop that outlasted it, before any timer ran', async () => {
    const { lease, seen } = hold(300);
    await until(lease.isHeld, 5000);
    freeze(400);
    assert.ok(!lease.isHeld());
    assert.equal(seen.lost.length, 0, 'the timer had no chance yet');
    await until(() => seen.lost.length === 1, 1000);
    lease.close();
  });

  it('that lapsed is lost also when the answer is read before the timer', async () => {
    const { lease, seen } = hold(300, 400);
    await until(lease.isHeld, 5000);
    // The answer to the next heartbeat is under way while nothing runs here, and grants far beyond the stop.
    answerAfterMs = 50;
    grantMs = 5000;
    const count = beats.length;
    await until(() => beats.length > count, 2000);
    freeze(400);
    await until(() => seen.lost.length === 1, 1000);
    await until(lease.isHeld, 5000);
    assert.equal(seen.lost.length, 1);
    lease.close();
  });

  it('granted for a time that is over already is none', async () => {
    const { lease, seen } = hold(50, 400);
    answerAfterMs = 100;
    await until(() => beats.length >= 3, 3000);
    assert.deepEqual([seen.held.length, seen.lost.length], [0, 0]);
    assert.ok(!lease.isHeld());
    lease.close();
  });
});
