import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Input } from '@pilothouse/bus';
import { until } from '../../../../testkit/until.ts';
import { rendererPids } from '../../testing/processes.ts';
import { openSessionAtHost, type SessionAtHost } from '../../testing/session-at-host.ts';
import { startSite } from '../../testing/site.ts';

const at = { x: 10, y: 10, modifiers: [] };
const press: Input = { ...at, action: 'click', button: 'left' };

describe('a page that crashed', () => {
  let opened: SessionAtHost;
  let site: Awaited<ReturnType<typeof startSite>>;
  let host: SessionAtHost['host'];
  let session: SessionAtHost['session'];
  let epoch = 1;
  let seq = 0;
  before(async () => {
    [opened, site] = await Promise.all([openSessionAtHost(), startSite()]);
    ({ host, session } = opened);
  });
  after(async () => {
    await opened?.close();
    await site?.close();
  });
  beforeEach(() => takenBy('person'));

  async function takenBy(who: 'person' | 'program') {
    epoch += 1;
    seq = 0;
    const { head } = await session.tell({ type: 'take', epoch, [`is_${who}`]: true });
    assert.ok(head.ok, JSON.stringify(head));
  }
  async function give(input: Input) {
    seq += 1;
    const { head } = await session.tell({ type: 'input', epoch, inputs: [{ seq, input }] });
    return head.ok ? 'done' : `${head.failure}: ${head.message}`;
  }
  const seen = async () => {
    const { head } = await session.tell({ type: 'view', known: null, wait_ms: 0 });
    const pages = head.ok && head.type === 'view' ? head.view.pages : [];
    return { pages, inFront: pages.find((page) => page.is_front) };
  };
  const isCrashed = async () => (await seen()).inFront?.trouble?.kind === 'crashed';
  async function crash() {
    for (const pid of await rendererPids(host.folder)) process.kill(pid, 'SIGKILL');
    await until(isCrashed, 5000);
  }
  const load = () => give({ action: 'navigate', url: `${site.url}/workshop` });

  for (const who of ['person', 'program'] as const) {
    it(`is loaded again where a ${who} takes over`, async () => {
      assert.equal(await load(), 'done');
      await crash();
      await takenBy(who);
      await until(async () => !(await isCrashed()), 8000);
      assert.equal((await seen()).inFront?.url, `${site.url}/workshop`);
    });
  }

  it('says so to the person who presses on it, and comes back where they load it again', async () => {
    assert.equal(await load(), 'done');
    await crash();
    assert.equal(await give({ ...at, action: 'move' }), 'done');
    assert.equal(await give(press), 'crashed: the page has crashed: load it again');
    assert.equal(await give({ action: 'reload' }), 'done');
    assert.equal(await give(press), 'done');
    assert.equal((await seen()).inFront?.url, `${site.url}/workshop`);
  });

  it('gives way to another that the person goes to', async () => {
    assert.equal(await load(), 'done');
    await crash();
    assert.equal(await give({ action: 'navigate', url: `${site.url}/shifting` }), 'done');
    assert.equal((await seen()).inFront?.url, `${site.url}/shifting`);
    await until(async () => (await seen()).pages.length === 1, 8000);
  });
});
