import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Client, createClient } from '@pilothouse/sdk';
import { startCheckout } from '../testkit/checkout.ts';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { connectMcp, type ToolReply } from '../testkit/mcp.ts';
import { connectMcpV1 } from '../testkit/mcp-v1.ts';
import { until } from '../testkit/until.ts';

const password = 'a long password of a test';
type Call = (name: string, args?: object) => Promise<ToolReply>;

// Two servers, each of which may answer any request; the browser, the agent and the pages are real.
describe('an agent of another maker, over MCP', () => {
  let installation: Installation;
  let checkout: Awaited<ReturnType<typeof startCheckout>>;
  let owner: Client;
  let ownerKey: string;
  let strangerKey: string;
  let keyId: string;
  let turn = 0;
  /** Each request goes to the next server. */
  const inTurn: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    url.port = String(Number(new URL(installation.baseUrl).port) + (turn++ % 2));
    return fetch(url, init);
  };

  before(async () => {
    checkout = await startCheckout();
    installation = await openInstallation('mcp', { servers: 2, disableAuth: false, sites: [checkout.url] });
    const register = async (username: string) => {
      await installation.client.register({ username, email: `${username}@example.test`, password });
      const { access_token: token } = await installation.client.login({ username_or_email: username, password });
      const client = createClient({ baseUrl: installation.baseUrl, token: () => token });
      const { key } = await client.createKey({ label: 'an agent' });
      return { client, key };
    };
    const mine = await register('owner');
    ({ client: owner } = mine);
    [ownerKey, keyId] = [mine.key.key_token, mine.key.id];
    strangerKey = (await register('stranger')).key.key_token;
  });
  after(async () => {
    await installation?.close();
    await checkout?.close();
  });

  const connect = (key: string, answer?: () => string | undefined) =>
    connectMcp(installation.baseUrl, key, { answer, fetch: inTurn });
  const done = (reply: ToolReply) => {
    assert.equal(reply.facts.outcome, 'done', reply.text);
    return reply;
  };

  /** Every tool but those that ask a person, which differ by client. */
  async function useBrowser(call: Call): Promise<string> {
    const { shop } = installation;
    const posts = shop.posts.length;
    const { session_id } = (await call('open_session', { title: 'A lantern' })).facts;
    done(await call('act', { session_id, step: `open ${shop.url}/` }));
    const seen = await call('observe', { session_id });
    assert.match(seen.facts.from_page.text, /Brass lantern/);
    assert.ok(
      seen.text.indexOf('Brass lantern') > seen.text.indexOf('words of web pages'),
      'words of a page are marked',
    );
    const ref = /\[(e\d+) button "Add Brass lantern to basket"/.exec(seen.facts.from_page.text)?.[1];
    assert.ok(ref, seen.facts.from_page.text);
    done(await call('act', { session_id, step: `click ref ${ref}` }));
    assert.equal(shop.posts.length, posts + 1);
    const read = done(await call('read', { session_id, as: 'text' }));
    assert.match(JSON.stringify(read.facts.from_page.data), /Basket \(1\)/);
    const { content } = await call('screenshot', { session_id });
    const picture = content.find(({ type }) => type === 'image');
    assert.ok(picture?.type === 'image' && Buffer.from(picture.data, 'base64').length > 1000);
    const steps = ['extract text css "h1" as heading'];
    const ran = done(await call('run_task', { session_id, steps }));
    assert.equal(done(await call('get_task', { task_id: ran.facts.task_id })).facts.step, '1 of 1');
    const missing = await call('act', { session_id, step: 'click "No such thing"', wait_secs: 50 });
    assert.deepEqual([missing.isError, missing.facts.outcome], [true, 'failed'], missing.text);
    const long = await call('run_task', { session_id, steps: ['wait for "never" within 600 s'], wait_secs: 0 });
    const cancelled = await call('cancel_task', { task_id: long.facts.task_id });
    assert.equal(cancelled.facts.outcome, 'cancelled');
    const { sessions } = (await call('list_sessions')).facts;
    assert.ok(sessions.some((one: { session_id: string }) => one.session_id === session_id));
    return session_id;
  }
  const ask = { question: 'Which lantern?', choices: ['brass', 'tin'], wait_secs: 50 };

  it('works in a browser and asks its user, with the client of this revision', { timeout: 240_000 }, async () => {
    const { call, close } = await connect(ownerKey, () => 'tin');
    const session_id = await useBrowser(call);
    const asked = done(await call('ask_person', { ...ask, session_id }));
    assert.deepEqual(asked.facts.answers, ['tin']);
    assert.equal((await call('close_session', { session_id })).facts.status, 'closed');
    await close();
  });

  it('works with the client of the earlier SDK, and is sent to the inbox with a question', {
    timeout: 240_000,
  }, async () => {
    const { client, call, close } = await connectMcpV1(installation.baseUrl, ownerKey, { fetch: inTurn });
    assert.equal((await client.listTools()).tools.length, 12);
    const session_id = await useBrowser(call);
    const asked = await call('ask_person', { ...ask, session_id });
    const { task_id, needs_person } = asked.facts;
    assert.equal(asked.facts.outcome, 'needs_person');
    assert.match(needs_person.link, new RegExp(`/inbox/${task_id}$`));
    const answer = { task_id, answer: 'brass', asked_at: needs_person.asked_at, wait_secs: 50 };
    assert.deepEqual(done(await call('answer_task', answer)).facts.answers, ['brass']);
    await call('close_session', { session_id });
    await close();
  });

  it('does nothing while a person drives, and sees nothing', { timeout: 240_000 }, async () => {
    const { call, close } = await connect(ownerKey);
    const { session_id } = (await call('open_session')).facts;
    done(await call('act', { session_id, step: `open ${installation.shop.url}/` }));
    await owner.requestSessionTakeover({ id: session_id });
    await until(
      async () => (await owner.getSession({ id: session_id })).snapshot.session.status === 'takeover',
      30_000,
    );
    const posts = installation.shop.posts.length;
    for (const [name, args] of [
      ['act', { step: 'click "Add Brass lantern to basket"' }],
      ['read', {}],
      ['observe', {}],
      ['screenshot', {}],
    ] as const) {
      const refused = await call(name, { session_id, ...args });
      assert.deepEqual([name, refused.facts.refused], [name, 'takeover_conflict'], refused.text);
      assert.match(refused.text, /A person drives this session/);
    }
    await owner.resumeSessionTakeover({ id: session_id });
    done(await call('act', { session_id, step: 'scroll down 100' }));
    assert.equal(installation.shop.posts.length, posts, 'what was refused is not done later');
    await close();
  });

  it('gets no order placed without the yes of a person', { timeout: 240_000 }, async () => {
    const { call, close } = await connect(ownerKey, () => 'once');
    const { session_id } = (await call('open_session')).facts;
    done(await call('act', { session_id, step: `open ${checkout.url}/` }));
    const waits = await call('act', { session_id, step: 'click "Place order"', wait_secs: 50 });
    const { task_id, needs_person } = waits.facts;
    assert.equal(needs_person?.kind, 'approval', waits.text);
    const { asked_at } = needs_person;
    assert.equal((await call('answer_task', { task_id, answer: 'once', asked_at })).facts.refused, 'forbidden');
    assert.deepEqual(checkout.orders, []);
    await owner.signalTakeover({ id: task_id, answer: 'once', asked_at });
    done(await call('get_task', { task_id, wait_secs: 50 }));
    assert.deepEqual(checkout.orders, ['/orders']);
    await close();
  });

  it('begins each task once while a server is shot and comes back', { timeout: 240_000 }, async () => {
    const { call, close } = await connect(ownerKey);
    const { session_id } = (await call('open_session')).facts;
    let broken = 0;
    /** As a client does whose connection breaks: the same call with the same key, until it is answered. */
    async function insist(args: object): Promise<ToolReply> {
      const end = performance.now() + 60_000;
      for (;;) {
        const reply = await call('run_task', args).catch((error: unknown) => {
          if (performance.now() > end) throw error;
          broken += 1;
        });
        if (reply) return reply;
      }
    }
    const { stack } = installation;
    const ids = new Set<string>();
    let shot: Promise<void> | undefined;
    for (let i = 0; i < 12; i += 1) {
      if (i === 3) shot = stack.kill('server-1').then(() => stack.start('server-1'));
      const steps = [`wait ${100 + i} ms`];
      const { facts } = await insist({ session_id, steps, idempotency_key: `work-${i}`, wait_secs: 2 });
      ids.add(facts.task_id);
    }
    await shot;
    // With the same keys again: nothing new.
    for (let i = 0; i < 12; i += 1)
      ids.add(
        (await insist({ session_id, steps: [`wait ${100 + i} ms`], idempotency_key: `work-${i}`, wait_secs: 0 })).facts
          .task_id,
      );
    const { tasks } = await owner.listTasks({ session_id, limit: 100 });
    assert.deepEqual([ids.size, tasks.length], [12, 12]);
    assert.ok(broken > 0, 'the shot was felt');
    await close();
  });

  it('finds nothing of another user, and nothing with a key that was removed', { timeout: 120_000 }, async () => {
    const mine = await connect(ownerKey);
    const { session_id } = (await mine.call('open_session')).facts;
    const task = (await mine.call('run_task', { session_id, steps: ['screenshot'] })).facts;
    const other = await connect(strangerKey);
    for (let i = 0; i < 2; i += 1) {
      assert.equal((await other.call('get_task', { task_id: task.task_id })).facts.refused, 'not_found');
      assert.equal((await other.call('act', { session_id, step: 'back' })).facts.refused, 'not_found');
      assert.equal((await other.call('screenshot', { session_id })).facts.refused, 'not_found');
    }
    await owner.deleteKey({ id: keyId });
    await assert.rejects(mine.call('list_sessions'), /401|nauthorized/);
    await assert.rejects(mine.call('list_sessions'), /401|nauthorized/);
    await Promise.all([mine.close(), other.close()]);
  });
});
