import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { listen } from '../../../../testkit/listen.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../../../../testkit/traces/otlp-receiver.ts';
import { createLog } from '../log.ts';
import { busTracing, openSpan, span, startTracing, traceparent } from './tracing.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const delayMs = 10;
const root = {};
const here = import.meta.dirname;
const said: string[] = [];
const log = createLog('test', 'info', { write: (line) => void said.push(line) });
const settings = { service: 'pilothouse-test', instance: 'one', log, delayMs };
const start = (url: string, ratio = 1) =>
  startTracing({ url: `${url}/v1/traces`, headers: { 'x-key': 'k' }, ratio }, settings);

describe('without a destination', () => {
  it('loads no package of OpenTelemetry, and calls are only the work', () => {
    const program = `
      const { startTracing, span, openSpan, traceparent, busTracing } = await import('./tracing.ts');
      const log = { info() {}, warn() {} };
      await startTracing(undefined, { service: 'x', instance: 'y', log });
      const worked = await span('task.run', {}, async ({ note }) => (note({ outcome: 'done' }), 7), { parent: null });
      console.log(JSON.stringify([worked, openSpan('http.request', {}, {}) ?? null, traceparent() ?? null, busTracing() ?? null]));
    `;
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(specifier, context, next) {
        if (specifier.startsWith('@opentelemetry/')) throw new Error('loaded ' + specifier);
        return next(specifier, context);
      } });`;
    const args = ['--input-type=module', '--import', `data:text/javascript,${encodeURIComponent(hook)}`, '-e', program];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: here, encoding: 'utf8' });
    assert.equal(stdout.trim(), '[7,null,null,null]', stderr);
  });
});

describe('with a receiver', () => {
  let receiver: OtlpReceiver;
  beforeEach(async () => {
    receiver = await startOtlpReceiver();
    said.length = 0;
  });
  afterEach(() => receiver.close());

  it('sends spans with their parents, and the rest when it closes', async () => {
    const tracing = await start(receiver.url);
    const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await span(
      'task.run',
      { task_id: 'one', run: 1 },
      async () => {
        log.info('inside');
        await span('task.step', { action: 'click' }, async ({ note }) => note({ outcome: 'ok' }));
      },
      { parent },
    );
    await tracing.close();
    log.info('after');
    const [step, run] = receiver.spans;
    assert.deepEqual([step?.name, run?.name], ['task.step', 'task.run']);
    assert.equal(run?.traceId, 'a'.repeat(32));
    assert.equal(run?.parentId, 'b'.repeat(16));
    assert.equal(step?.parentId, run?.spanId);
    assert.deepEqual(run?.attributes, { task_id: 'one', run: 1 });
    assert.deepEqual(step?.attributes, { action: 'click', outcome: 'ok' });
    assert.deepEqual([run?.service, run?.instance], ['pilothouse-test', 'one']);
    assert.equal(receiver.headers[0]?.['x-key'], 'k');
    const [inside, after] = said.map((line) => JSON.parse(line));
    assert.deepEqual([inside.trace_id, inside.span_id], [run?.traceId, run?.spanId]);
    assert.deepEqual([after.trace_id, after.span_id], [undefined, undefined]);
  });

  it('makes no span where nothing is traced, and none below one that has ended', async () => {
    const tracing = await start(receiver.url);
    await span('task.step', {}, async () => assert.equal(traceparent(), undefined));
    const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
    let timer: Promise<string | undefined> | undefined;
    await span(
      'task.run',
      {},
      async () => {
        timer = later.then(() => span('task.step', {}, async () => traceparent()));
      },
      root,
    );
    goOn();
    assert.equal(await timer, undefined);
    await tracing.close();
    assert.deepEqual(
      receiver.spans.map(({ name }) => name),
      ['task.run'],
    );
  });

  it('says of a failure what kind it was, and never its words', async () => {
    const tracing = await start(receiver.url);
    const canary = 'canary-5e1f in words of a page';
    const broken = span('task.run', {}, () => Promise.reject(new TypeError(canary)), root);
    await assert.rejects(broken, TypeError);
    const wrong = { action: canary, route: `${canary}\n`, model: 'x'.repeat(500), task_id: 'one', run: 3 };
    openSpan('task.run', wrong, root)?.end();
    await tracing.close();
    assert.deepEqual(receiver.spans[0]?.attributes, { error: 'TypeError' });
    assert.equal(receiver.spans[0]?.isFailed, true);
    assert.deepEqual(receiver.spans[1]?.attributes, { action: '?', route: '?', model: '?', task_id: 'one', run: 3 });
    assert.ok(receiver.bodies.every((body) => !body.includes('canary')));
  });

  it('keeps the share of traces that is asked for, and follows what the parent decided', async () => {
    const tracing = await start(receiver.url, 0);
    const header = await span('http.request', {}, async () => traceparent(), root);
    assert.match(header ?? '', /-00$/);
    for (const flags of ['00', '01'])
      await span('task.run', {}, async () => {}, { parent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}` });
    await tracing.close();
    assert.equal(receiver.spans.length, 1);
  });

  it('begins a trace of its own beside one that is only linked, and beside a header that is not well formed', async () => {
    const tracing = await start(receiver.url);
    const header = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    openSpan('http.request', {}, { link: header })?.end();
    openSpan('http.request', {}, { parent: `${header}-more`, link: 'nothing' })?.end();
    await tracing.close();
    for (const { traceId, parentId } of receiver.spans) {
      assert.notEqual(traceId, 'a'.repeat(32));
      assert.equal(parentId, undefined);
    }
    assert.deepEqual(
      receiver.spans.map(({ links }) => links),
      [['a'.repeat(32)], []],
    );
  });

  it('carries the span of a request over the bus, to those who answer', async () => {
    const tracing = await start(receiver.url);
    const [asks, answers] = [busTracing(), busTracing({ answers: true })];
    assert.equal(asks?.answered, undefined, 'an agent does not read the traces of hosts');
    const what = { name: 'session command', command: 'act' };
    const send = (header: string | undefined) =>
      answers?.answered?.(what, header, async () => ({ ok: false, reason: 'timeout' })) ?? assert.fail();
    await span('task.run', {}, async () => void (await asks?.asked(what, send)), root);
    // Nobody asks under a span: no span.
    await asks?.asked(what, async (header) => ({ ok: header === undefined }));
    await tracing.close();
    const [answered, asked, run] = receiver.spans;
    assert.deepEqual([answered?.name, asked?.name, run?.name], ['host.command', 'bus.request', 'task.run']);
    assert.deepEqual([answered?.parentId, asked?.parentId], [asked?.spanId, run?.spanId]);
    const attributes = { message: 'session_command', command: 'act', outcome: 'timeout', error: 'timeout' };
    assert.deepEqual(asked?.attributes, attributes);
    assert.equal(receiver.spans.length, 3);
  });
});

describe('a receiver that takes and never answers', () => {
  it('holds up nothing: not the work, not the memory, not the end', async () => {
    let requests = 0;
    let open = 0;
    let mostOpen = 0;
    const hole = createServer((request) => {
      requests += 1;
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      request.resume().on('close', () => {
        open -= 1;
      });
    });
    const { url, close } = await listen(hole);
    const tracing = await startTracing({ url, headers: {}, ratio: 1 }, { ...settings, closeMs: 50 });
    const attributes = { task_id: 'x'.repeat(100) };
    for (let round = 0; round < 20; round++) {
      for (let one = 0; one < 1000; one++) openSpan('task.run', attributes, root)?.end();
      await new Promise(setImmediate);
    }
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let one = 0; one < 50_000; one++) openSpan('task.run', attributes, root)?.end();
    collectGarbage();
    const grownMb = (process.memoryUsage().heapUsed - before) / 2 ** 20;
    assert.ok(grownMb < 8, `the heap grew by ${grownMb} MB`);
    const ending = performance.now();
    await tracing.close();
    const endMs = performance.now() - ending;
    assert.ok(endMs < 5000, `its end took ${endMs} ms`);
    assert.ok(mostOpen <= 3, `${mostOpen} of ${requests} requests were open at once`);
    await close();
  });
});

describe('a receiver that is away', () => {
  it('is told of once in the log, and again when it is back', async () => {
    said.length = 0;
    const answers = [404, 404, 200, 200];
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(answers.shift() ?? 200).end('the answer quotes a canary'));
    });
    const { url, close } = await listen(server);
    const tracing = await startTracing({ url, headers: {}, ratio: 1 }, settings);
    while (answers.length > 0) {
      const left = answers.length;
      openSpan('task.run', {}, root)?.end();
      while (answers.length === left) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await tracing.close();
    await close();
    const lines = said.map((line) => JSON.parse(line).msg);
    assert.deepEqual(lines, ['traces cannot be sent', 'traces are sent again']);
    assert.ok(said.every((line) => !line.includes('canary')));
  });
});
