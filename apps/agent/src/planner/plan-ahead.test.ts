import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, type PlanWanted, planWanted } from '@pilothouse/bus';
import { type NatsForTest, startNats } from '@pilothouse/bus/testing';
import { createLog } from '@pilothouse/process';
import { failing, type Said, says, scriptMind, thinksUntilAborted } from '../../testing/scripted-mind.ts';
import { startPlanAhead } from './plan-ahead.ts';

const log = createLog('agent', 'silent');
const wanted: PlanWanted = {
  prompt: 'Buy a lantern',
  model: null,
  current_url: 'https://shop.test/',
  constraints: ['At most 40 €'],
  allowed_domains: ['shop.test'],
  output_schema: null,
  files: ['list.csv'],
  started_on: '2026-01-01',
};
const items = [{ text: 'Find it', site: 'shop.test' }, { text: 'Buy it' }];

describe('a plan that a server wants', () => {
  let nats: NatsForTest;
  let server: Bus;
  let agent: Bus;
  before(async () => {
    nats = await startNats();
    [server, agent] = await Promise.all([connectBus(nats.as('server')), connectBus(nats.as('agent'))]);
  });
  after(async () => {
    await Promise.all([server?.close(), agent?.close()]);
    await nats?.close();
  });

  async function ask(said: Said[], { more = {}, timeoutMs = 10_000 } = {}) {
    const { mind, requests } = scriptMind(said);
    const counted: unknown[] = [];
    const add = async (...use: unknown[]) => void counted.push(use);
    const store = { modelBudget: { add, today: () => assert.fail('nobody asks') } };
    const answers = await startPlanAhead({ bus: agent, store, mind, log });
    const result = await server.request(planWanted, {}, { ...wanted, ...more }, { timeoutMs });
    await answers.close();
    return { result, requests, counted };
  }

  it('is one call of the model, with the words of the task and the tool for plans alone', async () => {
    const { result, requests } = await ask([says(['plan', { items }])]);
    assert.deepEqual(result, { ok: true, reply: { type: 'planned', items } });
    assert.equal(requests.length, 1);
    assert.deepEqual(
      requests[0]?.tools.map(({ name }) => name),
      ['plan'],
    );
    const text = JSON.stringify(requests[0]?.messages);
    for (const part of ['Buy a lantern', 'At most 40 €', 'https://shop.test/', 'list.csv'])
      assert.ok(text.includes(part));
    assert.equal(requests[0]?.model, 'test/one');
    assert.equal(
      (await ask([says(['plan', { items }])], { more: { model: 'test/two' } })).requests[0]?.model,
      'test/two',
    );
  });

  it('is counted for the person who asked', async () => {
    const user_id = '01980000-0000-7000-8000-000000000001';
    const { counted } = await ask([says(['plan', { items }])], { more: { user_id } });
    assert.deepEqual(counted, [[user_id, { tokens: 110, costMicros: 5 }]]);
    assert.deepEqual(
      (await ask([says(['plan', { items }])])).counted,
      [],
      'a server of the former release names nobody',
    );
  });

  const failures: [name: string, said: Said[], more: object, message: RegExp, isFinal: boolean][] = [
    ['a busy model may answer later', [failing('rate_limited')], {}, /^It is rate_limited\.$/, false],
    ['a model that refuses will not', [failing('refused')], {}, /^It is refused\.$/, true],
    ['an answer without a plan is none', [says(['click', { ref: 'e1' }])], {}, /no plan that can be used/, false],
    ['another agent may have the model', [], { model: 'test/three' }, /does not have this model/, false],
  ];
  for (const [name, said, more, message, isFinal] of failures)
    it(`fails with a sentence: ${name}`, async () => {
      const { result } = await ask(said, { more });
      assert.ok(result.ok && result.reply.type === 'failed');
      assert.match(result.reply.message, message);
      assert.equal(result.reply.is_final, isFinal);
    });

  it('is given up when the server no longer waits', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { result } = await ask([(asked) => thinksUntilAborted(asked).finally(() => resolve(asked.signal.aborted))], {
      timeoutMs: 300,
    });
    assert.ok(!result.ok && result.reason === 'timeout');
    assert.equal(await promise, true);
  });

  it('is asked of no agent that has no model', async () => {
    const { mind } = scriptMind([], { names: [] });
    const counted: unknown[] = [];
    const add = async (...use: unknown[]) => void counted.push(use);
    const store = { modelBudget: { add, today: () => assert.fail('nobody asks') } };
    const answers = await startPlanAhead({ bus: agent, store, mind, log });
    const result = await server.request(planWanted, {}, wanted, { timeoutMs: 5000 });
    assert.ok(!result.ok && result.reason === 'no_responders');
    await answers.close();
  });
});
