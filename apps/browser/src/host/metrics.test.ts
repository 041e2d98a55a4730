import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { Registry } from 'prom-client';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { closedReasons } from '../guard/rules/addresses.ts';
import { addHostGauges, createHostCounters } from './metrics.ts';

describe('the metrics of a host', () => {
  let nats: NatsForTest;
  let agent: Bus;
  let host: HostForTest;
  let isHeld = true;
  const metrics = new Registry();
  const counters = createHostCounters(metrics, closedReasons);
  before(async () => {
    nats = await startNats({ hosts: ['h17'] });
    agent = await connectBus(nats.as('agent'));
    host = await startHost(nats, 'h17', { capacity: 3, warm: 1, ports: new Set(), counters });
    addHostGauges(metrics, host.host.status, () => isHeld);
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await nats?.close();
  });
  const metric = async (name: string, labels = '') => {
    const line = (await metrics.metrics())
      .split('\n')
      .find((one) => one.startsWith(`pilothouse_host_${name}${labels} `));
    return Number(line?.split(' ').at(-1) ?? 0);
  };

  it('count launches, pool hits, sessions, frames and refused requests', async () => {
    await until(async () => (await metric('warm_browsers')) === 1, 15_000);
    const session = drive(agent, 'h17');
    assert.deepEqual(await session.open(), { ok: true });
    assert.equal(await metric('browsers_taken_total', '{from="pool"}'), 1);
    assert.equal(await metric('browsers_taken_total', '{from="launch"}'), 0);
    assert.ok((await metric('launches_total', '{outcome="ok"}')) >= 1);
    assert.equal(await metric('sessions'), 1);
    assert.equal(await metric('capacity'), 3);

    assert.match(await metrics.metrics(), /refused_requests_total\{reason="loopback_address"\} 0$/m);
    const failure = await session.failureOf({ action: 'navigate', url: 'http://127.0.0.1:8099/' });
    assert.equal(failure, 'blocked_by_guard');
    assert.ok((await metric('refused_requests_total', '{reason="loopback_address"}')) >= 1);

    await session.tell({ type: 'watch', for_ms: 5000 });
    await until(async () => (await metric('frames_total')) >= 1, 10_000);
    await session.closeSession();
    assert.equal(await metric('sessions'), 0);
  });

  it('count limits by their name, and failures by the name of the work', async () => {
    counters.limitHit({ wall: 'memory', is_ended: true });
    counters.ignoredError('close a page');
    counters.leaseLost();
    assert.equal(await metric('leases_lost_total'), 1);
    assert.equal(await metric('lease_held'), 1);
    isHeld = false;
    assert.equal(await metric('lease_held'), 0);
    assert.equal(await metric('limit_hits_total', '{limit="memory",ended="true"}'), 1);
    assert.equal(await metric('ignored_errors_total', '{what="close a page"}'), 1);
  });
});
