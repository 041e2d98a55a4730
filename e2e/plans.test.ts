import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isTerminal } from '@pilothouse/contract';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import type { Mind } from '../testkit/models/mind.ts';
import { planning } from '../testkit/models/minds.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { type Intent, teacher } from '../testkit/models/teacher.ts';
import { type Sites, startSites } from '../testkit/sites/sites.ts';
import { until } from '../testkit/until.ts';

// A real installation whose agent asks a scripted model over real HTTP; the model plans before it acts, and asks people.
describe('a task that a person steers', () => {
  let installation: Installation;
  let sites: Sites;
  let model: ModelServer;
  const refuses: Mind = () => ({ calls: [{ name: 'finish', input: { state: 'impossible', summary: 'No mind.' } }] });

  before(async () => {
    sites = await startSites();
    model = await startModelServer(refuses);
    process.env.MODELS = `local=${model.addresses.chat}#teacher`;
    installation = await openInstallation('plans', { sites: [sites.url] });
    // Its prompts name no address, and nobody is asked for a yes here.
    await installation.client.setPolicy({ mode: 'free' });
  });
  after(async () => {
    delete process.env.MODELS;
    await installation?.close();
    await model?.close();
    await sites?.close();
  });

  const read = async (id: string) => (await installation.client.getTaskStatus({ id })).status;
  async function asked(id: string, kind: string, isNew: (text: string) => boolean = () => true) {
    await until(async () => {
      const { status, question, last_error } = await read(id);
      if (isTerminal(status)) throw new Error(`it ended before it asked: ${last_error}`);
      return question?.kind === kind && isNew(question.text);
    }, 90_000);
    return read(id);
  }
  async function ended(id: string) {
    await until(async () => isTerminal((await read(id)).status), 90_000);
    return read(id);
  }
  const answer = (id: string, words: string) => installation.client.signalTakeover({ id, answer: words });

  it('waits with its plan, makes it again with the words of a person, and keeps to what they made of it', async () => {
    const visitor = sites.visitor('plans', 7);
    const intents: Intent[] = [{ open: visitor.url('shop') }, { finish: { seen: 'shop' } }];
    const propose = (said: string[]) => [
      { text: 'Open the shop', site: 'shop.test' },
      { text: said.length === 0 ? 'Buy a lantern' : `Mind this: ${said.at(-1)}` },
    ];
    model.think(planning(propose, teacher(intents)));
    const from = model.books.length;
    const { task_id: id } = await installation.client.sendChat({
      prompt: 'Look at the shop.',
      planner: 'llm',
      confirm: 'plan',
    });
    const first = await asked(id, 'plan');
    assert.equal(first.status, 'awaiting_user');
    assert.deepEqual(first.plan_items, propose([]));
    assert.deepEqual([first.cost.model_calls, first.cost.steps], [1, 0], 'nothing is done before the yes');
    const { items } = await installation.client.listInbox();
    assert.deepEqual(items.find(({ task_id }) => task_id === id)?.question?.plan_items, first.plan_items);

    await answer(id, 'Buy nothing');
    const second = await asked(id, 'plan', (text) => text.includes('Buy nothing'));
    assert.deepEqual(second.plan_items, propose(['Buy nothing']));

    const changed = ['Open the shop', 'Count the headings'];
    const asked_at = second.question?.asked_at;
    await installation.client.signalTakeover({ id, plan_items: changed, asked_at });
    const status = await ended(id);
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.deepEqual(status.plan_items, [{ text: 'Open the shop', site: 'shop.test' }, { text: 'Count the headings' }]);
    const books = model.books.slice(from);
    assert.equal(status.cost.model_calls, books.length, 'each call is counted');
    const told: string[] = [];
    for await (const event of installation.client.followTask({ id }, { signal: AbortSignal.timeout(90_000) })) {
      if (event.type === 'status' && event.status.plan_items)
        told.push(event.status.plan_items.map(({ text }) => text).join(', '));
      if (event.type === 'end') break;
    }
    assert.deepEqual(told, [
      'Open the shop, Buy a lantern',
      'Open the shop, Mind this: Buy nothing',
      'Open the shop, Count the headings',
    ]);
    assert.deepEqual(visitor.posts, []);
  });

  it('is asked for a choice, and for a person at the wheel', async () => {
    const visitor = sites.visitor('choices', 8);
    const choice = { question: 'Which one?', kind: 'choice', choices: ['Brass lantern', 'Copper lamp'] };
    model.think(
      teacher([
        { open: visitor.url('shop') },
        { call: { name: 'ask', input: choice } },
        { call: { name: 'ask', input: { question: 'Log in, please.', kind: 'wheel' } } },
        { finish: undefined },
      ]),
    );
    const { task_id: id } = await installation.client.sendChat({ prompt: 'Ask me.', planner: 'llm' });
    const { question } = await asked(id, 'choice');
    assert.deepEqual(
      question?.choices?.map(({ value }) => value),
      choice.choices,
    );
    await answer(id, 'Copper lamp');
    await asked(id, 'drive');
    await installation.client.requestTakeover({ id });
    await until(async () => (await read(id)).takeover?.status === 'active', 30_000);
    await installation.client.resumeTakeover({ id });
    const status = await ended(id);
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.deepEqual(
      status.result?.answers?.map(({ text }) => text),
      ['Copper lamp', 'The wheel was handed back.'],
    );
  });

  it('is planned without being begun', async () => {
    const items = [{ text: 'Open the shop', site: 'shop.test' }, { text: 'Buy a lantern' }];
    model.think(planning(() => items, refuses));
    const before = (await installation.client.listTasks()).tasks.length;
    const sent = { prompt: 'Buy a lantern.', planner: 'llm', execute: false } as const;
    assert.deepEqual(await installation.client.sendChat(sent), { success: true, plan: { steps: [], items } });
    model.think(() => ({ fault: 'status', status: 500 }));
    await assert.rejects(installation.client.sendChat(sent), {
      code: 'overloaded',
      status: 503,
      message: /^The model made no plan\. /,
    });
    assert.equal((await installation.client.listTasks()).tasks.length, before);
  });

  it('is refused where no model plans it', async () => {
    const refused = installation.client.sendChat({ prompt: 'screenshot', confirm: 'plan' });
    await assert.rejects(refused, { code: 'validation_failed', status: 400, message: /Only the plan of a model/ });
  });
});
