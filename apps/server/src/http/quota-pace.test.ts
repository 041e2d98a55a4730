import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectMcp } from '../../../../testkit/mcp.ts';
import { startTestServer } from '../../testing/server.ts';
import { registerUser } from '../../testing/users.ts';
import { createQuotaPace } from './quota-pace.ts';

// Only its end is looked at.
const connection = () => new EventEmitter() as ServerResponse;

describe('the pace of a user whom quotas refuse', () => {
  const options = { windowMs: 60_000, maxDistanceMs: 60, maxWaitMs: 150 };
  const refused = (pace: ReturnType<typeof createQuotaPace>, user: string, times: number) => {
    for (let i = 0; i < times; i++) pace.count(user);
  };
  const timed = async (work: Promise<unknown>) => {
    const begun = performance.now();
    await work;
    return performance.now() - begun;
  };

  it('is free for the first ten refusals, and always for others', async () => {
    const pace = createQuotaPace(options);
    refused(pace, 'a', 10);
    // More than there is time for, if they had to wait.
    for (let i = 0; i < 100; i++) await pace.turn('a', connection());
    refused(pace, 'a', 50);
    for (let i = 0; i < 100; i++) await pace.turn('b', connection());
  });

  it('is one call after the other from then on, over all connections, and refuses calls that would wait too long', async () => {
    const pace = createQuotaPace(options);
    refused(pace, 'a', 50);
    const turns = [1, 2, 3].map(() => timed(pace.turn('a', connection())));
    await assert.rejects(pace.turn('a', connection()), { code: 'rate_limited', retryAfterSecs: 10 });
    const [, second = 0, third = 0] = await Promise.all(turns);
    // Timers of Node may end a little early, and a busy machine takes longer.
    assert.ok(second > 55 && third > 110, `${second} ${third}`);
  });

  it('is free again when the minute is over', async () => {
    const pace = createQuotaPace({ ...options, windowMs: 30 });
    refused(pace, 'a', 1000);
    await new Promise((resolve) => setTimeout(resolve, 40));
    pace.sweep();
    for (let i = 0; i < 100; i++) await pace.turn('a', connection());
  });

  it('does not keep a call of a client that has left', async () => {
    const pace = createQuotaPace({ ...options, maxDistanceMs: 60_000, maxWaitMs: 60_000 });
    refused(pace, 'a', 10_000);
    await pace.turn('a', connection());
    const leaving = connection();
    const waiting = assert.rejects(pace.turn('a', leaving), { code: 'rate_limited' });
    leaving.emit('close');
    await waiting;
    assert.equal(leaving.listenerCount('close'), 0);
  });
});

describe('calls of a user whom quotas refuse again and again', () => {
  it('wait where they add something, and nothing else of them and nobody else does', async () => {
    const server = await startTestServer({ isAuthDisabled: false, quotas: { sessions: 1 } });
    try {
      const [greedy, other] = [(await registerUser(server)).client, (await registerUser(server)).client];
      const { session } = await greedy.createSession();
      for (let i = 0; i < 16; i++) await assert.rejects(greedy.createSession(), { code: 'quota_exceeded' });
      // They go one after the other, so this many take longer than the calls below. The last of them may find room.
      const waiting = Array.from({ length: 6 }, () => greedy.createSession());
      const allWaited = Promise.allSettled(waiting).then(() => 'waited');
      // No quota refuses a key.
      const key = greedy.createKey({ label: 'of a program' });
      const free = [greedy.listSessions(), other.createSession(), greedy.deleteSession({ id: session.id }), key];
      assert.equal(await Promise.race([allWaited, Promise.all(free).then(() => 'free')]), 'free');
      await allWaited;
    } finally {
      await server.close();
    }
  });

  it('are refused where their login ended while they waited', async () => {
    const server = await startTestServer({ isAuthDisabled: false, quotas: { sessions: 1 } });
    try {
      const { client: greedy, token } = await registerUser(server);
      const tools = await connectMcp(server.baseUrl, token);
      await greedy.createSession();
      for (let i = 0; i < 16; i++) await assert.rejects(greedy.createSession(), { code: 'quota_exceeded' });
      const waiting = Array.from({ length: 8 }, () => greedy.createSession().catch((error) => error.code));
      const refusal = tools.call('open_session').then(
        ({ facts }) => facts.refused,
        () => 'token_invalid',
      );
      // The server has read who calls, and they still wait.
      await sleep(300);
      await greedy.logoutAll();
      assert.equal((await Promise.all(waiting)).at(-1), 'token_invalid');
      assert.equal(await refusal, 'token_invalid');
      await tools.close();
    } finally {
      await server.close();
    }
  });
});
