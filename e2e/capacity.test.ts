import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type House, openHouse } from './house.ts';

describe('a host that can hold two browsers', () => {
  let house: House;
  before(async () => {
    process.env.HOST_CAPACITY = '2';
    house = await openHouse('capacity');
  });
  after(async () => {
    delete process.env.HOST_CAPACITY;
    await house.close();
  });

  it('serves any number of sessions in turn, and brings a parked one back as it was', async () => {
    const { client, shop } = house;
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
});
