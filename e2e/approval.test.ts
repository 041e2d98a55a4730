import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { isTerminal, type TaskStatus } from '@pilothouse/contract';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { listen } from '../testkit/listen.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { teacher } from '../testkit/models/teacher.ts';
import { until } from '../testkit/until.ts';

/** A page whose price the shop can change at any time, as pages do. */
const html = `<!doctype html><title>Check out</title><h1>Check out</h1>
<form method=post action="/orders"><p>Brass lantern, <b id=price></b></p><button>Place order</button></form>
<script>
  const show = async () => { price.textContent = await (await fetch('/price')).text(); };
  show(); setInterval(show, 100);
</script>`;

async function startCheckout() {
  const orders: string[] = [];
  const asked: string[] = [];
  let price = '48.00 €';
  const site = await listen(
    createServer((request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      if (request.method === 'POST') {
        orders.push(price);
        response.writeHead(303, { location: '/thanks' }).end();
      } else if (request.url === '/price') {
        asked.push(price);
        response.end(price);
      } else response.end(request.url === '/thanks' ? '<!doctype html><h1>Thank you</h1>' : html);
    }),
  );
  /** Returns when the page has asked for the new price, and had a moment to show it. */
  async function setPrice(next: string): Promise<void> {
    price = next;
    await until(() => asked.filter((one) => one === next).length >= 3, 30_000);
  }
  return { ...site, orders, setPrice };
}

// A real installation, whose model decides to buy: the person says yes to one order, at one price.
describe('an order that a model places', () => {
  let installation: Installation;
  let checkout: Awaited<ReturnType<typeof startCheckout>>;
  let model: ModelServer;

  before(async () => {
    checkout = await startCheckout();
    model = await startModelServer(() => ({ fault: 'status', status: 500 }));
    process.env.MODELS = `local=${model.addresses.chat}#teacher`;
    installation = await openInstallation('approval', { sites: [checkout.url] });
  });
  after(async () => {
    delete process.env.MODELS;
    await installation?.close();
    await model?.close();
    await checkout?.close();
  });

  const read = async (id: string) => (await installation.client.getTaskStatus({ id })).status;
  async function askedAgain(id: string, before?: string): Promise<TaskStatus> {
    await until(async () => {
      const { status, question, last_error } = await read(id);
      if (isTerminal(status)) throw new Error(`it ended before it asked: ${last_error}`);
      return question?.kind === 'approval' && question.approval?.id !== before;
    }, 90_000);
    return read(id);
  }
  async function ended(id: string): Promise<TaskStatus> {
    await until(async () => isTerminal((await read(id)).status), 90_000);
    return read(id);
  }
  const buy = async () => {
    model.think(
      teacher([
        { open: checkout.url },
        { click: 'Place order', role: 'button', when: '€' },
        { finish: { bought: true }, when: 'Thank you' },
      ]),
    );
    const { task_id } = await installation.client.sendChat({
      prompt: `Buy the lantern at ${checkout.url}.`,
      planner: 'llm',
    });
    return task_id;
  };

  it('waits for a yes, and exists once after it', { timeout: 240_000 }, async () => {
    const id = await buy();
    const { question } = await askedAgain(id);
    const { class: of, name, page, form_action, amounts, void_reason, picture_path } = question?.approval ?? {};
    assert.deepEqual(
      [of, name, page, form_action, amounts, void_reason],
      ['commit', 'Place order', `${checkout.url}/`, `${checkout.url}/orders`, ['48.00 €'], null],
    );
    assert.ok(picture_path, 'the person sees a picture of it');
    assert.deepEqual(checkout.orders, [], 'nothing is ordered before the yes');
    await installation.client.signalTakeover({ id, answer: 'once', asked_at: question?.asked_at });
    const status = await ended(id);
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.deepEqual(checkout.orders, ['48.00 €']);
    const clicked = status.agent_history.findLast(({ action }) => action === 'click');
    assert.deepEqual([clicked?.policy?.class, clicked?.policy?.approved_by], ['commit', 'local user']);
  });

  it('is asked for again where the price changes after the question', { timeout: 240_000 }, async () => {
    checkout.orders.length = 0;
    const id = await buy();
    const first = await askedAgain(id);
    await checkout.setPrice('99.00 €');
    await installation.client.signalTakeover({ id, answer: 'once', asked_at: first.question?.asked_at });
    const second = await askedAgain(id, first.question?.approval?.id);
    assert.match(second.question?.approval?.void_reason ?? '', /48\.00 €, now 99\.00 €/);
    assert.deepEqual(checkout.orders, [], 'the yes was to another price');
    await installation.client.signalTakeover({ id, answer: 'once', asked_at: second.question?.asked_at });
    const status = await ended(id);
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.deepEqual(checkout.orders, ['99.00 €']);
  });

  it('is not placed after a no', { timeout: 240_000 }, async () => {
    checkout.orders.length = 0;
    const id = await buy();
    await askedAgain(id);
    await installation.client.signalTakeover({ id, answer: 'no' });
    const status = await ended(id);
    assert.notEqual(status.result?.state, 'done');
    assert.deepEqual(checkout.orders, []);
  });
});
