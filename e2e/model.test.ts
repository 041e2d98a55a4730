import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isTerminal } from '@pilothouse/contract';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import type { Mind } from '../testkit/models/mind.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { type Intent, teacher } from '../testkit/models/teacher.ts';
import { type Sites, startSites } from '../testkit/sites/sites.ts';
import { until } from '../testkit/until.ts';

// A real installation whose agent asks a scripted model over real HTTP; the model finds what it clicks in the page that it is sent.
describe('a task in words', () => {
  let installation: Installation;
  let sites: Sites;
  let model: ModelServer;
  const refuses: Mind = () => ({ calls: [{ name: 'finish', input: { state: 'impossible', summary: 'No mind.' } }] });

  before(async () => {
    sites = await startSites();
    model = await startModelServer(refuses);
    process.env.MODELS = `local=${model.addresses.chat}#teacher`;
    installation = await openInstallation('model', { sites: [sites.url] });
    // Nobody is there to say yes.
    await installation.client.setPolicy({ mode: 'free' });
  });
  after(async () => {
    delete process.env.MODELS;
    await installation?.close();
    await model?.close();
    await sites?.close();
  });

  const plan = (...intents: Intent[]) => model.think(teacher(intents));

  async function ended(id: string) {
    const read = async () => (await installation.client.getTaskStatus({ id })).status;
    await until(async () => isTerminal((await read()).status), 90_000);
    return read();
  }

  it('is offered where an agent has a model', async () => {
    const { caller } = await installation.client.getCapabilities();
    assert.deepEqual([caller?.planners, caller?.models], [['auto', 'script', 'llm'], ['local']]);
  });

  it('buys one thing in the shop, and nothing else, and its result fits the schema', async () => {
    const visitor = sites.visitor('words', 7);
    const product = visitor.data.shop.products.find(({ stock }) => stock > 0);
    assert.ok(product);
    plan(
      { open: visitor.url('shop') },
      { fill: { 'Search the shop': product.name.slice(0, 5) } },
      { click: 'Find' },
      { click: `Add ${product.name} to basket` },
      { click: 'Basket', role: 'link' },
      { click: 'Check out', role: 'link' },
      { fill: { Name: 'Ada Lovelace', Address: '12 St James’s Square' } },
      { fill: { 'I agree to the terms': true } },
      { click: 'Pay', role: 'button' },
      { click: 'Confirm payment', irreversible: true },
      { finish: { bought: product.name } },
    );
    const from = model.books.length;
    const { task_id } = await installation.client.sendChat({
      prompt: `Buy one ${product.name} for Ada Lovelace, please.`,
      output_schema: { type: 'object', properties: { bought: { type: 'string' } }, required: ['bought'] },
    });
    const status = await ended(task_id);
    assert.equal(status.status, 'success', JSON.stringify([status.last_error, status.agent_history]));
    assert.deepEqual(status.result?.data, { bought: product.name });
    assert.deepEqual(
      visitor.posts.map(({ what }) => what),
      ['shop/basket', 'shop/pay'],
    );
    assert.equal(visitor.data.shop.orders[0]?.name, 'Ada Lovelace');
    const { decisions } = await installation.client.listDecisions({ id: task_id });
    assert.equal(decisions.length, status.cost.model_calls);
    const pay = decisions.find(({ actions }) =>
      actions.some(({ tool, step_ids }) => tool === 'click' && step_ids.length === 1),
    );
    assert.match(pay?.goal ?? '', /^click /);
    assert.match(status.agent_history.at(-1)?.next_goal ?? '', /^click "Confirm payment"/);
    const books = model.books.slice(from);
    assert.equal(status.cost.model_calls, books.length);
    const sum = (pick: (tokens: { input: number; output: number }) => number) =>
      books.reduce((all, { tokens }) => all + (tokens ? pick(tokens) : 0), 0);
    assert.equal(
      status.cost.input_tokens,
      sum(({ input }) => input),
    );
    assert.equal(
      status.cost.output_tokens,
      sum(({ output }) => output),
    );
  });

  it('that the page does not allow ends with a sentence', async () => {
    const visitor = sites.visitor('words-2', 8);
    plan({ open: visitor.url('shop') }, { click: 'No such thing at all' });
    const { task_id } = await installation.client.sendChat({ prompt: 'Click what is not there.' });
    const status = await ended(task_id);
    assert.equal(status.status, 'failed');
    assert.match(status.last_error ?? '', /it is not on the page/);
    assert.deepEqual(visitor.posts, []);
  });
});
