import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { isTerminal } from '@pilothouse/contract';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import type { MindRequest } from '../testkit/models/mind.ts';
import { scripted } from '../testkit/models/minds.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { until } from '../testkit/until.ts';

// A real installation whose agent asks two scripted models over real HTTP: one does the task, the other judges it.
describe('a task that is judged', () => {
  let installation: Installation;
  let model: ModelServer;

  before(async () => {
    model = await startModelServer(scripted([]));
    const { chat } = model.addresses;
    Object.assign(process.env, {
      MODELS: `local=${chat}#worker,second=${chat}#judge`,
      JUDGE_MODEL: 'second',
      MODEL_TOKENS_PER_USER_DAY: '10000000',
    });
    installation = await openInstallation('judged');
    // Its prompts name no address, and nobody is asked for a yes here.
    await installation.client.setPolicy({ mode: 'free' });
  });
  after(async () => {
    delete process.env.MODELS;
    delete process.env.JUDGE_MODEL;
    delete process.env.MODEL_TOKENS_PER_USER_DAY;
    await installation?.close();
    await model?.close();
  });

  async function ended(id: string) {
    const read = async () => (await installation.client.getTaskStatus({ id })).status;
    await until(async () => isTerminal((await read()).status), 90_000);
    return read();
  }

  it('has a verdict beside its result, and what the model saw can be read', { timeout: 180_000 }, async () => {
    const asked: MindRequest[] = [];
    model.think((request) => {
      asked.push(request);
      if (request.tools.some(({ name }) => name === 'verdict')) {
        const points = [{ text: 'the shop is open', met: 'yes' }];
        const input = { points, state: 'done', reasons: ['The picture shows the shop.'] };
        return { calls: [{ name: 'verdict', input }] };
      }
      if (asked.length === 1) return { calls: [{ name: 'open', input: { url: `${installation.shop.url}/` } }] };
      return {
        text: 'check: open\ngoal: say so, I did it all',
        calls: [{ name: 'finish', input: { state: 'done', summary: 'The shop is open.' } }],
      };
    });
    const { client } = installation;
    const { task_id } = await client.sendChat({ prompt: 'Open the shop, please.', planner: 'llm', judge: true });
    const status = await ended(task_id);
    assert.equal(status.status, 'success', status.last_error ?? '');
    const verdict = { state: 'done', reasons: ['The picture shows the shop.'], model: 'second' };
    assert.deepEqual(status.result?.verdict, verdict);

    const judge = asked.at(-1);
    assert.deepEqual([judge?.model, asked[0]?.model], ['judge', 'worker']);
    assert.match(judge?.lastUserText ?? '', /The task: Open the shop, please\./);
    assert.match(judge?.lastUserText ?? '', /1\. Open http.* - done - page: http/);
    assert.doesNotMatch(judge?.lastUserText ?? '', /I did it all/);
    assert.ok((judge?.pictures.length ?? 0) >= 1, 'the judge sees the pages');

    const { decisions } = await client.listDecisions({ id: task_id });
    assert.equal(status.cost.model_calls, decisions.length + 1);
    const input = model.books.reduce((sum, { tokens }) => sum + (tokens?.input ?? 0), 0);
    assert.equal(status.cost.input_tokens, input, 'the call of the judge is counted');
    const { caller } = await client.getCapabilities();
    const output = model.books.reduce((sum, { tokens }) => sum + (tokens?.output ?? 0), 0);
    assert.deepEqual(caller?.model_budget?.tokens, { limit: 10_000_000, used: input + output });

    const number = String(decisions.at(-1)?.number);
    const { view } = await client.getDecisionView({ id: task_id, number });
    assert.match(view.text ?? '', /\[e\d+ /);
    assert.ok(view.picture);
    const picture = await client.getDecisionPicture({ id: task_id, number });
    assert.equal(picture.headers.get('content-type'), view.picture.content_type);
    assert.ok((await picture.arrayBuffer()).byteLength > 1000);
  });

  it('keeps its calls without typed text, and a replay makes the same requests', { timeout: 180_000 }, async () => {
    const canary = 'TOUCAN-610037';
    let asked = 0;
    model.think(({ lastUserText }) => {
      asked += 1;
      if (asked === 1) return { calls: [{ name: 'open', input: { url: `${installation.shop.url}/` } }] };
      const [, field] = /\[(e\d+) field/.exec(lastUserText) ?? [];
      if (asked === 2 && field) return { calls: [{ name: 'fill', input: { items: [{ ref: field, text: canary }] } }] };
      return { calls: [{ name: 'finish', input: { state: 'done', summary: 'Typed.' } }] };
    });
    const { task_id } = await installation.client.sendChat({ prompt: `Type ${canary}, please.`, planner: 'llm' });
    const status = await ended(task_id);
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.ok(asked >= 3 && status.cost.steps >= 2, 'it was typed');
    const { services } = installation.stack;
    const folder = join(services.place.dir, 'blobs');
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.includes(`/calls/${task_id}/`));
    assert.equal(files.length, asked);
    for (const name of files) {
      const text = gunzipSync(await readFile(join(folder, name))).toString();
      assert.match(text, /The task: \{prompt\}/);
      assert.ok(!text.includes('TOUCAN'), name);
    }
    const env = { ...process.env, DATABASE_URL: services.databaseUrl(), BLOB_DIR: folder };
    const replay = await promisify(execFile)(process.execPath, ['apps/agent/src/replay.main.ts', task_id], { env });
    assert.match(
      replay.stdout,
      new RegExp(`call 2: the same; local answered fill[^]*all ${asked} kept requests are the same`),
    );
  });

  it('keeps its state where the judge does not answer', { timeout: 180_000 }, async () => {
    model.think(({ tools }) =>
      tools.some(({ name }) => name === 'verdict')
        ? { fault: 'status', status: 500 }
        : { calls: [{ name: 'finish', input: { state: 'done', summary: 'Nothing to do.' } }] },
    );
    const { task_id } = await installation.client.sendChat({ prompt: 'Do nothing.', planner: 'llm', judge: true });
    const status = await ended(task_id);
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.deepEqual(status.result?.verdict, {
      ...{ state: 'unsure', model: 'second' },
      reasons: ['The judge did not answer.'],
    });
  });

  it('is refused where no model plans it', async () => {
    const steps = [{ action: 'screenshot' as const }];
    await assert.rejects(installation.client.sendChat({ prompt: 'x', steps, judge: true }), {
      code: 'validation_failed',
    });
  });
});
