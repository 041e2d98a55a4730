import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '@pilothouse/contract';
import { until } from '../../../../testkit/until.ts';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { registerUser } from '../../testing/users.ts';

let users = 0;

describe('limits of open streams', () => {
  let server: TestServer;
  const streams = { perUser: 3, perAddress: 8 };
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false, trustedProxies: ['127.0.0.1'], streams });
  });
  after(() => server.close());

  /** A user with a session, and a way to follow it from an address of its own. */
  async function newUser() {
    users += 1;
    const { client, token, logIn: logInAgain } = await registerUser(server);
    const logIn = async () => (await logInAgain()).access_token;
    const { session } = await client.createSession();
    return { client, session, token, logIn, address: `192.0.2.${users}` };
  }
  type User = Awaited<ReturnType<typeof newUser>>;
  type Manner = { address?: string; share?: string; id?: string };

  async function open({ token, session, address }: User, manner: Manner = {}) {
    const stop = new AbortController();
    const response = await fetch(`${server.baseUrl}/api/sessions/${manner.id ?? session.id}/live`, {
      headers: {
        'x-forwarded-for': manner.address ?? address,
        ...(manner.share ? { 'x-share-token': manner.share } : { authorization: `Bearer ${token}` }),
      },
      signal: stop.signal,
    });
    if (!response.ok) return { response, problem: Problem.parse(await response.json()), leave: () => {} };
    // It is not read further: it is enough that it is open.
    const ended = (async () => {
      const reader = response.body?.getReader();
      while (reader && !(await reader.read()).done);
    })().catch(() => {});
    return { response, ended, leave: () => stop.abort() };
  }
  type Opened = Awaited<ReturnType<typeof open>>;
  const openMany = (count: number, user: User, manner?: Manner) =>
    Promise.all(Array.from({ length: count }, () => open(user, manner)));
  const leaveAll = (all: Opened[]) => {
    for (const { leave } of all) leave();
  };
  /** Repeats until a stream is allowed again. */
  async function openSoon(user: User, manner?: Manner): Promise<Opened> {
    let last = await open(user, manner);
    await until(async () => {
      if (last.response.status === 429) last = await open(user, manner);
      return last.response.status !== 429;
    }, 5000);
    return last;
  }
  const viewersOf = async ({ client, session: { id } }: User) =>
    (await client.getSession({ id })).snapshot.session.viewers;

  it('hold for each user, who is told when to try again', async () => {
    const [ann, ben] = [await newUser(), await newUser()];
    const held = await openMany(3, ann);
    assert.ok(held.every(({ response }) => response.ok));
    const { response, problem } = await open(ann, { address: '192.0.2.250' });
    assert.equal(response.status, 429);
    assert.equal(problem?.code, 'rate_limited');
    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.equal(response.headers.get('retry-after'), '5');
    assert.equal(response.headers.get('ratelimit-policy'), '"streams_user";q=3');
    const others = await open(ben);
    assert.equal(others.response.status, 200);
    leaveAll([...held, others]);
  });

  it('refuse a stream before anything is subscribed', async () => {
    const ann = await newUser();
    const held = await openMany(3, ann);
    assert.equal((await open(ann)).response.status, 429);
    await until(async () => (await viewersOf(ann)) === 3, 10_000);
    // With a fourth viewer, three would be left.
    held[0]?.leave();
    await until(async () => (await viewersOf(ann)) === 2, 10_000);
    leaveAll(held);
  });

  it('count no stream whose viewer left, whose login ended, or that was refused', async () => {
    const ann = await newUser();
    const held = await openMany(3, ann);
    held[0]?.leave();
    const again = await openSoon(ann);
    assert.equal(again.response.status, 200, 'one left');
    leaveAll([...held, again]);

    for (let times = 0; times < 5; times += 1) {
      const { response } = await openSoon(ann, { id: '01890000-0000-7000-8000-000000000009' });
      assert.equal(response.status, 404, 'a refusal keeps no place');
    }
    const before = await Promise.all([openSoon(ann), openSoon(ann), openSoon(ann)]);
    assert.ok(before.every(({ response }) => response.ok));
    await ann.client.logoutAll();
    await Promise.all(before.map(({ ended }) => ended));
    const back = { ...ann, token: await ann.logIn() };
    const after = await Promise.all([openSoon(back), openSoon(back), openSoon(back)]);
    assert.ok(after.every(({ response }) => response.ok));
    leaveAll(after);
  });

  it('count no stream whose viewer left before the answer', async () => {
    const ann = await newUser();
    const { port } = new URL(server.baseUrl);
    for (let times = 0; times < 40; times += 1) {
      const socket = connect({ port: Number(port), host: '127.0.0.1' });
      socket.on('error', () => {});
      const head = `GET /api/sessions/${ann.session.id}/live HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${ann.address}\r\n`;
      await new Promise<void>((resolve) =>
        socket.write(`${head}Authorization: Bearer ${ann.token}\r\n\r\n`, () => resolve()),
      );
      // At several moments of the server's work, which nothing tells from outside.
      if (times % 2) await sleep(times % 8);
      socket.destroy();
    }
    const held = await Promise.all([openSoon(ann), openSoon(ann), openSoon(ann)]);
    assert.deepEqual(
      held.map(({ response }) => response.status),
      [200, 200, 200],
    );
    leaveAll(held);
    // No viewer that left is still counted.
    await until(async () => (await viewersOf(ann)) === 0, 10_000);
  });

  it('hold for each address, for all its users together', async () => {
    const [ann, ben, cid] = [await newUser(), await newUser(), await newUser()];
    const address = '192.0.2.200';
    const held = (await Promise.all([ann, ben].map((user) => openMany(3, user, { address })))).flat();
    const more = await openMany(3, cid, { address });
    const statuses = more.map(({ response }) => response.status).sort();
    assert.deepEqual(statuses, [200, 200, 429]);
    const refused = more.find(({ response }) => !response.ok);
    assert.equal(refused?.response.headers.get('ratelimit-policy'), '"streams_address";q=8');
    const elsewhere = await open(cid, { address: '192.0.2.201' });
    assert.equal(elsewhere.response.status, 200);
    leaveAll([...held, ...more, elsewhere]);
  });

  it('hold for each share, apart from the streams of its owner', async () => {
    const ann = await newUser();
    const { share } = await ann.client.shareSession({ id: ann.session.id });
    const manner = { share: share.share_token };
    const guests = await openMany(3, ann, manner);
    assert.ok(guests.every(({ response }) => response.ok));
    assert.equal((await open(ann, manner)).response.status, 429);
    const owner = await open(ann);
    assert.equal(owner.response.status, 200);
    await ann.client.unshareSession({ id: ann.session.id });
    await Promise.all(guests.map(({ ended }) => ended));
    leaveAll([owner]);
  });

  it('hold without authentication, too', async () => {
    const open = await server.another({ isAuthDisabled: true, streams: { perUser: 2 } });
    const { session } = await open.client.createSession();
    const stop = new AbortController();
    const ask = () => fetch(`${open.baseUrl}/api/sessions/${session.id}/live`, { signal: stop.signal });
    const answers = await Promise.all([ask(), ask(), ask()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429]);
    stop.abort();
  });
});
