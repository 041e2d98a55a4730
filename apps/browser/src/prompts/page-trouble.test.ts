import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, type SessionView } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { until } from '../../../../testkit/until.ts';
import { drive, type HostForTest, startHost } from '../../testing/host.ts';
import { rendererPids } from '../../testing/processes.ts';
import { startSite } from '../../testing/site.ts';
import { viewWhere } from '../../testing/views.ts';

describe('why a page does not show what was asked of it', () => {
  let nats: NatsForTest;
  let site: Awaited<ReturnType<typeof startSite>>;
  let agent: Bus;
  let host: HostForTest;
  let session: ReturnType<typeof drive>;
  before(async () => {
    [nats, site] = await Promise.all([startNats({ hosts: ['h1'] }), startSite()]);
    agent = await connectBus(nats.as('agent'));
    host = await startHost(nats, 'h1');
    session = drive(agent, 'h1');
    await session.open();
  });
  after(async () => {
    await host?.close();
    await agent?.close();
    await site?.close();
    await nats?.close();
  });

  const troubleOf = (view: SessionView) => view.pages.find(({ is_front }) => is_front)?.trouble;
  /** Chromium loads its own error pages late, and again: they may come in between. */
  const good = () =>
    until(async () => !(await session.failureOf({ action: 'navigate', url: `${site.url}/form` })), 15_000);

  for (const [url, target, reason] of [
    ['http://10.0.0.1/', '10.0.0.1:80', 'private_address'],
    ['https://169.254.169.254/latest', '169.254.169.254:443', 'metadata_address'],
  ] as const)
    it(`the guard refused ${url}, until the next good page`, async () => {
      const failure = await session.failureOf({ action: 'navigate', url });
      assert.equal(failure, 'blocked_by_guard');
      const view = await viewWhere(session, troubleOf);
      assert.deepEqual(troubleOf(view), { kind: 'refused', target, reason });
      await good();
      await viewWhere(session, (next) => !troubleOf(next));
    });

  it('it crashed, until it is opened again', async () => {
    await good();
    for (const pid of await rendererPids(host.folder)) process.kill(pid, 'SIGKILL');
    const view = await viewWhere(session, troubleOf);
    assert.deepEqual(troubleOf(view), { kind: 'crashed', target: null, reason: null });
    assert.deepEqual(await session.open({ epoch: 2 }), { ok: true });
    await viewWhere(session, (next) => !troubleOf(next));
  });
});
