import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Installation, openInstallation } from '../testkit/installation.ts';

describe('a host that can hold two browsers', () => {
  let installation: Installation;
  before(async () => {
    process.env.HOST_CAPACITY = '2';
    installation = await openInstallation('capacity');
  });
  after(async () => {
    delete process.env.HOST_CAPACITY;
    await installation.close();
  });

  it('serves any number of sessions in turn, and brings a parked one back as it was', async () => {
    const { client, shop } = installation;
    const run = async (session_id: string, url: string, name?: string) => {
      const steps = [
        { action: 'navigate', url } as const,
        ...(name ? [{ action: 'click', target: name } as const] : []),
      ];
      const { task_id } = await client.sendChat({ prompt: 'visit', session_id, steps });
      for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(60_000) }));
      const { status } = await client.getTaskStatus({ id: task_id });
      assert.equal(status.status, 'success', status.last_error ?? '');
    };
    const sessions = [];
    for (let i = 0; i < 4; i++) {
      const { session } = await client.createSession();
      sessions.push(session.id);
      await run(session.id, `${shop.url}/`, 'Add Brass lantern to basket');
    }
    const states = await Promise.all(sessions.map(async (id) => (await client.getSession({ id })).snapshot));
    const browsers = states.map(({ session }) => session.browser);
    assert.equal(browsers.at(-1), 'live');
    assert.ok(browsers.filter((browser) => browser === 'live').length <= 2, `no more than it can hold: ${browsers}`);
    assert.equal(browsers[0], 'cold', 'the one that rested longest made room');
    assert.ok(
      states.every(({ last_frame }) => last_frame),
      'a parked session still shows its last frame',
    );

    const [first = ''] = sessions;
    await run(first, `${shop.url}/basket`);
    const visitors = shop.posts.map(({ visitor }) => visitor);
    assert.equal(new Set(visitors).size, 4);
    const { snapshot } = await client.getSession({ id: first });
    assert.equal(snapshot.route_summary.current.title, 'Your basket');
    await run(first, `${shop.url}/`, 'Add Pocket compass to basket');
    assert.equal(shop.posts.at(-1)?.visitor, visitors[0], 'the shop knows it by its cookie');
  });

  it('gives the browsers of tasks that wait for long to others, and each of these goes on at its page', async () => {
    const { client, shop } = installation;
    const statusOf = async (id: string) => (await client.getTaskStatus({ id })).status;
    const until = async (isSo: () => Promise<boolean>, ms: number) => {
      const end = Date.now() + ms;
      while (!(await isSo())) {
        assert.ok(Date.now() < end, 'in time');
        await sleep(100);
      }
    };
    const prompt = `open ${shop.url}/?q=compass\nwait 45 s\nextract text css "h1" as heading`;
    const sleeping = await Promise.all([1, 2, 3].map(() => client.sendChat({ prompt, time_limit_secs: 60 })));
    // Three on a host for two: the third needs the browser of one that waits already.
    await until(
      async () =>
        (await Promise.all(sleeping.map(({ task_id: id }) => statusOf(id)))).every((one) => one.current_step === 2),
      30_000,
    );
    const { task_id: quick } = await client.sendChat({ prompt: `open ${shop.url}/basket` });
    await until(async () => (await statusOf(quick)).status === 'success', 20_000);
    for (const { task_id: id } of sleeping) assert.equal((await statusOf(id)).status, 'running');
    for (const { task_id: id } of sleeping) {
      await until(async () => (await statusOf(id)).status !== 'running', 90_000);
      const { status, result, last_error } = await statusOf(id);
      assert.equal(status, 'success', last_error ?? '');
      assert.match(JSON.stringify(result), /Harbour Supplies/);
    }
  });
});
