import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseScript } from '@pilothouse/contract';
import { createClient } from '@pilothouse/sdk';
import { startTestServer, type TestServer } from '../../testing/server.ts';

const password = 'a lamp in the harbour';

describe('what a server offers', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      isAuthDisabled: false,
      planners: { parseScript },
      quotas: { sessions: 3 },
      callLimits: { write: 50 },
      streams: { perUser: 7 },
    });
  });
  after(() => server.close());

  it('is little without a login: whether one is needed, and how to get one', async () => {
    assert.deepEqual(await server.client.getCapabilities(), {
      success: true,
      auth: 'required',
      registration: 'open',
      password_min_length: 8,
      caller: null,
    });
  });

  it('with a login has planners, limits, sizes, and quotas with what is used', async () => {
    await server.client.register({ username: 'ada', email: 'ada@example.test', password });
    const { access_token } = await server.client.login({ username_or_email: 'ada', password });
    const client = createClient({ baseUrl: server.baseUrl, token: () => access_token });
    await client.createSession();
    const { caller } = await client.getCapabilities();
    assert.deepEqual([caller?.planners, caller?.models], [['auto', 'script'], []]);
    assert.deepEqual(caller?.quotas.open_sessions, { limit: 3, used: 1 });
    assert.deepEqual([caller?.limits.write, caller?.limits.streams], [50, 7]);
    assert.deepEqual([caller?.sizes.prompt_chars, caller?.sizes.input_actions], [8000, 64]);
  });

  it('refuses a token that is not valid, so that a client renews it', async () => {
    const client = createClient({ baseUrl: server.baseUrl, token: () => 'pha_x' });
    await assert.rejects(client.getCapabilities(), { code: 'token_invalid' });
  });

  it('says that authentication is disabled, and shows everything', async () => {
    const open = await server.another({ isAuthDisabled: true });
    const { auth, caller } = await open.client.getCapabilities();
    assert.deepEqual([auth, caller?.recording], ['disabled', true]);
  });

  it('has the tasks that the operator offers to try, if any', async () => {
    const examples = [{ title: 'Look', prompt: 'open https://example.com', steps_by: 'program' as const }];
    const open = await server.another({ isAuthDisabled: true, examples });
    assert.deepEqual((await open.client.getCapabilities()).caller?.examples, examples);
    const none = await server.another({ isAuthDisabled: true });
    assert.equal((await none.client.getCapabilities()).caller?.examples, undefined);
  });
});
