import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '../../apps/server/testing/server.ts';
import { closeCalls } from '../auth/auth.calls.ts';
import type { Servers } from '../auth/auth.ts';
import { raceCancel, raceSameChat, raceSessionQuota, raceTaskQuota } from './commands.ts';

// The full sizes are run by `npm run chaos -- commands`, on two servers that are processes of their own.
describe('commands over two servers', () => {
  let server: TestServer;
  let servers: Servers;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false, quotas: { tasks: 20, sessions: 30 } });
    servers = [server.baseUrl, (await server.another()).baseUrl];
  });
  after(async () => {
    closeCalls();
    await server.close();
  });

  it('one chat sent many times at once under one key is one task', async () => {
    const result = await raceSameChat(servers, 120);
    assert.deepEqual(result, { statuses: { 202: 120 }, tasks: 1, sessions: 1, otherBody: 409 });
  });

  it('of many chats at once exactly as many are taken as the user may have', async () => {
    const result = await raceTaskQuota(servers, 80);
    assert.deepEqual(result, { statuses: { 202: 20, 429: 60 }, tasks: 20, sessions: 20, withRetryAfter: 60 });
  });

  it('of many sessions at once exactly as many are made as the user may have', async () => {
    assert.deepEqual(await raceSessionQuota(servers, 80), { statuses: { 201: 30, 429: 50 }, sessions: 30 });
  });

  it('a task that many cancel at once is cancelled by one of them', async () => {
    const result = await raceCancel(servers, { rounds: 5, clients: 10 });
    assert.deepEqual(result, { rounds: 5, done: 5, late: 45, other: 0 });
  });
});
