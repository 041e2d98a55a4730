import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, type PlanWanted, type PlanWantedReply, planWanted, queues } from '@pilothouse/bus';
import { ChatRequest, parseScript } from '@pilothouse/contract';
import { createClient, isApiError } from '@pilothouse/sdk';
import { localUser, newId } from '@pilothouse/store';
import { startTestServer, type TestServer } from '../../testing/server.ts';
import { createPlanAhead } from './plan-ahead.ts';

const items = [{ text: 'Find it', site: 'shop.test' }, { text: 'Buy it' }];

describe('a chat that only plans, by a model', () => {
  let server: TestServer;
  let agent: Bus;
  before(async () => {
    const planners = { parseScript, models: async () => ['test/one'] };
    server = await startTestServer({ isAuthDisabled: true, planners });
    agent = await connectBus(server.nats.as('agent'));
  });
  after(async () => {
    await agent?.close();
    await server?.close();
  });

  const body = { prompt: 'Buy a lantern', planner: 'llm', execute: false } as const;
  /** Sends the chat while an agent answers so. */
  async function send(reply: PlanWantedReply, more: object = {}) {
    const heard: PlanWanted[] = [];
    const hear = (wanted: PlanWanted) => {
      heard.push(wanted);
      return reply;
    };
    const responder = agent.respond(planWanted, {}, hear, { queue: queues.plan });
    await responder.ready({ timeoutMs: 5000 });
    const answer = await server.client.sendChat({ ...body, ...more }).catch((error: unknown) => error);
    await responder.close();
    return { answer, heard };
  }
  const count = (table: string): Promise<number> =>
    server.store.transaction(async ({ client }) => (await client.query(`select count(*) from ${table}`)).rows[0].count);

  it('is answered with items and without steps, and creates nothing', async () => {
    const tables = ['tasks', 'sessions', 'model_calls', 'files'];
    const before = await Promise.all(tables.map(count));
    const files = [{ name: 'list.csv', content_base64: '' }];
    const { answer, heard } = await send(
      { type: 'planned', items },
      { files, model: 'test/one', constraints: ['Soon'] },
    );
    assert.deepEqual(answer, { success: true, plan: { steps: [], items } });
    const [{ started_on, ...wanted } = assert.fail()] = heard;
    assert.match(started_on, /^\d{4}-\d\d-\d\d$/);
    assert.deepEqual(wanted, {
      user_id: localUser.id,
      prompt: 'Buy a lantern',
      model: 'test/one',
      current_url: null,
      constraints: ['Soon'],
      allowed_domains: null,
      output_schema: null,
      files: ['list.csv'],
    });
    assert.deepEqual(await Promise.all(tables.map(count)), before);
  });

  it('says why there is no plan', async () => {
    const failed = (is_final: boolean) => ({ type: 'failed', message: 'It is so.', is_final }) as const;
    const refused = (await send(failed(true))).answer;
    assert.ok(isApiError(refused, 'conflict'));
    assert.equal(refused.message, 'The model made no plan. It is so.');
    const later = (await send(failed(false))).answer;
    assert.ok(isApiError(later, 'overloaded'));
    assert.deepEqual([later.status, later.message], [503, 'The model made no plan. It is so.']);
  });

  it('is refused at once where no agent listens, and after a time where none answers', async () => {
    const refused = await server.client.sendChat(body).catch((error: unknown) => error);
    assert.ok(isApiError(refused, 'overloaded'));
    assert.equal(refused.message, 'No agent with a model answers at the moment.');

    const silent = agent.respond(planWanted, {}, () => new Promise<PlanWantedReply>(() => {}), { queue: queues.plan });
    await silent.ready({ timeoutMs: 5000 });
    const bus = await connectBus(server.nats.as('server'));
    const late = createPlanAhead({ bus, timeoutMs: 200 })(ChatRequest.parse(body), newId());
    await assert.rejects(late, { code: 'overloaded', message: 'The model made no plan in time.' });
    await silent.close({ timeoutMs: 100 });
    await bus.close();
  });

  it('counts as a write of its caller', async () => {
    const planners = { models: async () => ['test/one'] };
    const strict = await server.another({ isAuthDisabled: false, callLimits: { write: 1 }, planners });
    const who = { username: 'planner', email: 'planner@example.test', password: 'a long password of a test' };
    await strict.client.register(who);
    const login = await strict.client.login({ username_or_email: who.username, password: who.password });
    const mine = createClient({ baseUrl: strict.baseUrl, token: () => login.access_token });
    const sent = () => mine.sendChat(body).catch((error: unknown) => error);
    assert.ok(isApiError(await sent(), 'overloaded'), 'no agent listens');
    assert.ok(isApiError(await sent(), 'rate_limited'));
  });
});
