import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@pilothouse/sdk';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { inviteFirst } from './first-invite.ts';
import { hashOf, newToken } from './tokens.ts';

const password = 'correct horse battery';
let count = 0;
const person = () => {
  const username = `person${++count}`;
  return { username, email: `${username}@example.test`, password };
};

describe('who may register', () => {
  let open: TestServer;
  let invited: TestServer;
  let closed: TestServer;
  before(async () => {
    open = await startTestServer({ isAuthDisabled: false });
    [invited, closed] = await Promise.all([
      open.another({ registration: 'invite' }),
      open.another({ registration: 'closed' }),
    ]);
  });
  after(() => open?.close());

  /** A client at a server, logged in as a new user of this role. */
  async function userAt({ baseUrl, store }: TestServer, role: 'user' | 'admin') {
    const wanted = person();
    const { user } = await open.client.register(wanted);
    await store.users.setRole(user.id, role);
    const login = { username_or_email: wanted.username, password };
    const { access_token } = await createClient({ baseUrl }).login(login);
    return { id: user.id, client: createClient({ baseUrl, token: () => access_token }) };
  }
  async function invite(server: TestServer, body: Parameters<TestServer['client']['createInvite']>[0] = {}) {
    const { client } = await userAt(server, 'admin');
    return (await client.createInvite(body)).invite;
  }
  const refused = (code: string, words: RegExp) => (error: { code?: string; message?: string; detail?: string }) => {
    assert.equal(error.code, code);
    assert.match(`${error.detail ?? ''} ${error.message ?? ''}`, words);
    return true;
  };

  it('everyone, where it is open; the capabilities say which it is', async () => {
    await open.client.register(person());
    const said = await Promise.all([open, invited, closed].map(({ client }) => client.getCapabilities()));
    assert.deepEqual(
      said.map(({ registration }) => registration),
      ['open', 'invite', 'closed'],
    );
  });

  it('nobody without an invitation, where one is needed; the refusal is in the audit', async () => {
    await assert.rejects(invited.client.register(person()), refused('forbidden', /need an invitation/));
    await assert.rejects(closed.client.register(person()), refused('forbidden', /Registration is closed/));
    const { rows } = await open.store.transaction(({ client }) =>
      client.query(`select outcome from audit where event = 'register' order by recorded_at desc, id desc limit 2`),
    );
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ['forbidden', 'forbidden'],
    );
  });

  it('one person for each invitation, in the role that it names', async () => {
    const { invite_token, path, role, used_at } = await invite(invited, { note: 'for Ann', role: 'admin' });
    assert.deepEqual([role, used_at, path], ['admin', null, `/register#invite=${invite_token}`]);
    const { user } = await invited.client.register({ ...person(), invite: invite_token });
    assert.equal(user.role, 'admin');
    await assert.rejects(invited.client.register({ ...person(), invite: invite_token }), refused('forbidden', /used/));
  });

  it('one, however many come at once', async () => {
    const { id, invite_token } = await invite(invited);
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, () => invited.client.register({ ...person(), invite: invite_token })),
    );
    assert.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1);
    const { client } = await userAt(invited, 'admin');
    const { invites } = await client.listInvites({ limit: 200 });
    const used = invites.find((one) => one.id === id);
    assert.ok(used?.used_by && used.used_at);
    assert.equal('invite_token' in used, false);
  });

  it('with the same invitation, after a name that was taken', async () => {
    const taken = person();
    await open.client.register(taken);
    const { invite_token } = await invite(invited);
    await assert.rejects(invited.client.register({ ...taken, invite: invite_token }), refused('user_exists', /exists/));
    assert.equal((await invited.client.register({ ...person(), invite: invite_token })).user.role, 'user');
  });

  it('not with one that has lapsed, was withdrawn, or is no invitation', async () => {
    const lapsed = await invite(invited);
    await open.store.transaction(({ client }) =>
      client.query('update invites set expires_at = clock_timestamp() where id = $1', [lapsed.id]),
    );
    const withdrawn = await invite(invited);
    const { client } = await userAt(invited, 'admin');
    await client.deleteInvite({ id: withdrawn.id });
    for (const token of [lapsed.invite_token, withdrawn.invite_token, newToken('invite'), newToken('key'), 'x'])
      await assert.rejects(
        invited.client.register({ ...person(), invite: token }),
        refused('forbidden', /does not count/),
      );
    // Also where none is needed: a person who has one means it.
    await assert.rejects(
      open.client.register({ ...person(), invite: newToken('invite') }),
      refused('forbidden', /does not count/),
    );
  });

  it('not with one of an administrator who was disabled or is none any more', async () => {
    const { users } = open.store;
    for (const end of [
      (id: string) => users.setRole(id, 'user'),
      (id: string) => users.setDisabled(id, true),
      (id: string) => users.setDisabled(id, true).then(() => users.setRole(id, 'user')),
    ]) {
      const { id, client } = await userAt(invited, 'admin');
      const { invite_token } = (await client.createInvite({ role: 'admin' })).invite;
      await end(id);
      for (const server of [invited, open])
        await assert.rejects(
          server.client.register({ ...person(), invite: invite_token }),
          refused('forbidden', /does not count/),
        );
    }
  });

  it('where it is closed: only those whom the operator lets in', async () => {
    const { invite_token } = await invite(invited);
    await assert.rejects(closed.client.register({ ...person(), invite: invite_token }), refused('forbidden', /count/));
    const { client } = await userAt(closed, 'admin');
    await assert.rejects(client.createInvite({}), refused('conflict', /closed/));
    const token = newToken('invite');
    const given = { tokenHash: hashOf(token), role: 'user', createdBy: null, expiresInSecs: 60 } as const;
    await open.store.invites.add(given);
    await closed.client.register({ ...person(), invite: token });
  });

  it('what was used cannot be withdrawn', async () => {
    const { id, invite_token } = await invite(invited);
    await invited.client.register({ ...person(), invite: invite_token });
    const { client } = await userAt(invited, 'admin');
    await assert.rejects(client.deleteInvite({ id }), refused('not_found', /./));
  });
});

describe('the first administrator', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ isAuthDisabled: false, registration: 'closed' });
  });
  after(() => server?.close());

  /** The token in what a server says when it starts; undefined if it says nothing. */
  async function saidAtStart(registration: 'open' | 'invite' | 'closed'): Promise<string | undefined> {
    let said: string | undefined;
    const log = {
      warn({ open }: { open: string }) {
        said = open;
      },
    } as never;
    await inviteFirst(server.store, { registration, log });
    return said?.replace('/register#invite=', '');
  }

  it('has a link in the log of each server that starts, of which one counts', async () => {
    assert.equal(await saidAtStart('open'), undefined);
    const tokens = [await saidAtStart('closed'), await saidAtStart('invite'), await saidAtStart('closed')];
    const tries = await Promise.allSettled(tokens.map((invite) => server.client.register({ ...person(), invite })));
    const made = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.user.role] : []));
    assert.deepEqual(made, ['admin']);
    for (const invite of tokens) await assert.rejects(server.client.register({ ...person(), invite }));
    assert.equal(await saidAtStart('closed'), undefined, 'there is a user now');
  });
});
