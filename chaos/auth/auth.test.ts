import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../apps/server/testing/server.ts';
import { closeCalls } from './auth.calls.ts';
import {
  endStreams,
  floodLogins,
  forgeAddresses,
  logOutElsewhere,
  raceLimit,
  raceRefresh,
  raceRegister,
  type Servers,
  timeLogins,
} from './auth.ts';

// The full sizes are run by `npm run chaos -- auth`, on two servers that are processes of their own.
describe('authentication over two servers', () => {
  let server: TestServer;
  let servers: Servers;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false });
    servers = [server.baseUrl, (await server.another()).baseUrl];
  });
  after(async () => {
    closeCalls();
    await server.close();
  });

  it('one refresh token shown by twenty at once has one successor, and a grandparent ends the family', async () => {
    const result = await raceRefresh(servers, { rounds: 15, clients: 20 });
    assert.deepEqual(result, { rounds: 15, refused: 0, successors: [1], outlived: 0 });
  });

  it('of many wrong logins at once for one name exactly ten are tried, whatever server they reach', async () => {
    const near = [
      await server.another({ limits: { loginPerIdentifier: 10 } }),
      await server.another({ limits: { loginPerIdentifier: 10 } }),
    ];
    const { passed, retryAfterSecs } = await raceLimit([near[0]?.baseUrl ?? '', near[1]?.baseUrl ?? ''], {
      keys: 4,
      tries: 100,
    });
    assert.deepEqual(passed, [10]);
    assert.ok(retryAfterSecs.min >= 1 && retryAfterSecs.max <= 60, JSON.stringify(retryAfterSecs));
  });

  it('forged addresses count as the one they come from', async () => {
    // A database of its own: the others have spent the points of this address.
    const near = await startTestServer({ isAuthDisabled: false, limits: { loginPerAddress: 25 } });
    const result = await forgeAddresses([near.baseUrl, near.baseUrl], 100);
    await near.close();
    const { count, minutes, passed } = result;
    assert.equal(count, 100);
    assert.ok(passed >= 25 && passed <= 25 * minutes, JSON.stringify(result));
  });

  it('a known name and an unknown one take the same time', async () => {
    const { auc } = await timeLogins(servers, 120);
    // So few pairs tell only a gross difference; the full size holds it between 0.45 and 0.55.
    assert.ok(auc > 0.35 && auc < 0.65, String(auc));
  });

  it('a flood of logins is cut with a time to come again', async () => {
    const { refused, refusedWithRetryAfter, other } = await floodLogins(servers, 150);
    assert.ok(refused > 0);
    assert.equal(refusedWithRetryAfter, refused);
    assert.equal(other, 0);
  });

  for (const isAll of [false, true]) {
    it(`${isAll ? 'logout-all' : 'logout'} at one server is over at the other at once`, async () => {
      assert.deepEqual(await logOutElsewhere(servers, { uses: 200, isAll }), { uses: 200, accepted: 0 });
    });
  }

  it('streams at the other server end within two seconds of the logout', async () => {
    const { closed, lastMs } = await endStreams(servers, 30);
    assert.equal(closed, 30);
    assert.ok(lastMs < 2000, `${lastMs} ms`);
  });

  it('one name in many cases is registered once', async () => {
    assert.deepEqual(await raceRegister(servers, 200), { count: 200, created: 1, existed: 199, overloaded: 0 });
  });

  it('streams end within two seconds also while the bus is away', async () => {
    await server.nats.kill();
    const { closed, lastMs } = await endStreams(servers, 30);
    assert.equal(closed, 30);
    assert.ok(lastMs < 2000, `${lastMs} ms`);
    await server.nats.start();
  });
});
