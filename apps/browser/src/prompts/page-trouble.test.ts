import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SessionView } from '@pilothouse/bus';
import { until } from '../../../../testkit/until.ts';
import { rendererPids } from '../../testing/processes.ts';
import { openSessionAtHost, type SessionAtHost } from '../../testing/session-at-host.ts';
import { startSite } from '../../testing/site.ts';
import { viewWhere } from '../../testing/views.ts';

describe('why a page does not show what was asked of it', () => {
  let opened: SessionAtHost;
  let site: Awaited<ReturnType<typeof startSite>>;
  let host: SessionAtHost['host'];
  let session: SessionAtHost['session'];
  before(async () => {
    [opened, site] = await Promise.all([openSessionAtHost(), startSite()]);
    ({ host, session } = opened);
  });
  after(async () => {
    await opened?.close();
    await site?.close();
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
