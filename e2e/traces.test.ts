import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { isTerminal } from '@pilothouse/contract';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { type ModelServer, startModelServer } from '../testkit/models/server.ts';
import { teacher } from '../testkit/models/teacher.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../testkit/traces/otlp-receiver.ts';
import { parentOf, traceOf, wholeTrace } from '../testkit/traces/trace.ts';
import { until } from '../testkit/until.ts';

/** What each kind of span may be below, and the process that has it. Nothing else is in a trace. */
const places: Record<string, { below: (string | undefined)[]; of: string }> = {
  'http.request': { below: [undefined], of: 'pilothouse-server' },
  'task.begin': { below: ['http.request'], of: 'pilothouse-server' },
  'task.run': { below: ['task.begin'], of: 'pilothouse-agent' },
  'task.decide': { below: ['task.run'], of: 'pilothouse-agent' },
  'task.step': { below: ['task.run'], of: 'pilothouse-agent' },
  'ledger.write': { below: ['task.step'], of: 'pilothouse-agent' },
  'model.call': { below: ['task.decide', 'task.run'], of: 'pilothouse-agent' },
  'bus.request': { below: ['task.decide', 'task.step', 'task.run'], of: 'pilothouse-agent' },
  'host.command': { below: ['bus.request'], of: 'pilothouse-browser' },
  'browser.act': { below: ['host.command'], of: 'pilothouse-browser' },
  'browser.evidence': { below: ['host.command'], of: 'pilothouse-browser' },
};

// Three real processes of ours, each of which knows only the receiver and what the others sent it.
describe('the trace of a chat', () => {
  let installation: Installation;
  let receiver: OtlpReceiver;
  let model: ModelServer;
  const canary = 'canary-8d2b';

  before(async () => {
    receiver = await startOtlpReceiver();
    model = await startModelServer(teacher([]));
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
    process.env.TRACE_CALLERS = 'parent';
    process.env.AGENT_LEASE_SECS = '1';
    process.env.MODELS = `local=${model.addresses.chat}#teacher`;
    installation = await openInstallation('traces');
    await installation.client.setPolicy({ mode: 'free' });
  });
  after(async () => {
    for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'TRACE_CALLERS', 'AGENT_LEASE_SECS', 'MODELS'])
      delete process.env[name];
    await installation?.close();
    await model?.close();
    await receiver?.close();
  });

  async function ended(id: string): Promise<void> {
    const read = async () => (await installation.client.getTaskStatus({ id })).status;
    await until(async () => isTerminal((await read()).status), 60_000);
    const { status, last_error } = await read();
    assert.equal(status, 'success', last_error ?? '');
  }

  function checkPlaces(trace: ReceivedSpan[]): void {
    for (const span of trace) {
      const place = places[span.name];
      assert.ok(place, `${span.name} is no span of ours`);
      assert.equal(span.service, place.of, span.name);
      const above = parentOf(trace, span)?.name;
      assert.ok(place.below.includes(above), `${span.name} ${JSON.stringify(span.attributes)} is below ${above}`);
      assert.ok(span.end >= span.start);
    }
  }
  const namesOf = (trace: ReceivedSpan[]) => new Set(trace.map(({ name }) => name));
  const shopping = (url: string) =>
    `open ${url}/?q=${canary}\nopen ${url}/\ntype "${canary}" into "Search"\nclick "Find"`;

  it('has the request, the run, each step, each command, and what the browser did', async () => {
    const { client, shop } = installation;
    const { task_id, session_id } = await client.sendChat({ prompt: shopping(shop.url) });
    await ended(task_id);
    const trace = await wholeTrace(receiver, task_id);
    checkPlaces(trace);
    const isOfModels = (name: string) => name === 'task.decide' || name === 'model.call';
    assert.deepEqual(
      [...namesOf(trace)].sort(),
      Object.keys(places)
        .filter((name) => !isOfModels(name))
        .sort(),
    );
    const steps = trace.filter(({ name }) => name === 'task.step');
    assert.deepEqual(
      steps.map(({ attributes: { step, action } }) => [step, action]),
      [
        [1, 'navigate'],
        [2, 'navigate'],
        [3, 'type'],
        [4, 'click'],
      ],
    );
    const commands = trace.filter(({ name }) => name === 'host.command').map(({ attributes }) => attributes.command);
    assert.deepEqual(commands.filter((command) => command === 'open').length, 1);
    assert.equal(commands.filter((command) => command === 'gated_act').length, 4);
    const [request, begin] = trace;
    assert.deepEqual([request?.attributes.route, request?.attributes.status], ['/api/chat', 202]);
    assert.deepEqual([begin?.attributes.task_id, begin?.attributes.session_id], [task_id, session_id]);
  });

  it('has the decisions of a model, and its calls', async () => {
    const { client, shop } = installation;
    model.think(
      teacher([{ open: `${shop.url}/` }, { fill: { Search: canary } }, { click: 'Find' }, { finish: canary }]),
    );
    const { task_id } = await client.sendChat({ prompt: `Search for ${canary}, please.` });
    await ended(task_id);
    const trace = await wholeTrace(receiver, task_id);
    checkPlaces(trace);
    assert.deepEqual([...namesOf(trace)].sort(), Object.keys(places).sort());
    const calls = trace.filter(({ name }) => name === 'model.call');
    assert.equal(calls.length, model.books.length);
    for (const { attributes } of calls) {
      assert.deepEqual([attributes.model, attributes.outcome], ['local', 'calls']);
      assert.ok(Number(attributes.input_tokens) > 0);
    }
  });

  it('goes on when the agent is killed: the run of the next is below the same beginning', async () => {
    const { client, shop, stack } = installation;
    const slow = `open ${shop.url}/?slow_ms=1500\nclick "Add Brass lantern to basket"`;
    const parent = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;
    const sent = await fetch(`${installation.baseUrl}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent: parent },
      body: JSON.stringify({ prompt: slow }),
    });
    const { task_id } = (await sent.json()) as { task_id: string };
    await until(async () => (await client.getTaskStatus({ id: task_id })).status.status === 'running', 20_000);
    await stack.kill('agent-1');
    await stack.start('agent-1');
    await ended(task_id);
    const runs = () => traceOf(receiver.spans, task_id).filter(({ name }) => name === 'task.run');
    await until(() => runs().some(({ attributes }) => attributes.outcome === 'done'), 20_000);
    const trace = traceOf(receiver.spans, task_id);
    const begin = trace.find(({ name }) => name === 'task.begin');
    const request = trace.find(({ name }) => name === 'http.request');
    assert.deepEqual([request?.traceId, request?.parentId], ['c'.repeat(32), 'd'.repeat(16)]);
    // That of the killed agent went with it.
    const [run] = runs();
    assert.deepEqual([run?.parentId, run?.attributes.run, run?.attributes.kind], [begin?.spanId, 2, 'again']);
  });

  it('stands in the lines of the log', () => {
    const { processes } = installation.stack.status();
    const { log = assert.fail() } = processes['server-1'] ?? {};
    const lines = readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const chats = lines.filter(({ path }) => path === '/api/chat');
    assert.equal(chats.length, 3);
    for (const { trace_id, span_id, request_id } of chats) {
      const span = receiver.spans.find((one) => one.spanId === span_id);
      assert.deepEqual([span?.traceId, span?.attributes.request_id], [trace_id, request_id]);
    }
  });

  it('has no word of pages, prompts, models or what was typed', () => {
    assert.ok(receiver.bodies.length > 0);
    for (const secret of [
      canary,
      'lantern',
      'Harbour',
      'Search',
      'Find',
      'please',
      new URL(installation.shop.url).host,
    ])
      assert.ok(
        receiver.bodies.every((body) => !body.includes(secret)),
        secret,
      );
    assert.ok(receiver.spans.every(({ attributes }) => Object.values(attributes).every((value) => value !== '?')));
  });
});
