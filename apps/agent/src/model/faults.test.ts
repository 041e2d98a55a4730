import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { createLog } from '@pilothouse/process';
import type { Fault, MindAnswer } from '../../../../testkit/models/mind.ts';
import { faults, scripted, slowAndBroken } from '../../../../testkit/models/minds.ts';
import { type ModelServer, startModelServer } from '../../../../testkit/models/server.ts';
import { until } from '../../../../testkit/until.ts';
import { accessTo, requestTo } from '../../testing/models.ts';
import { type FailureKind, ModelFailure } from './failure.ts';
import type { ModelRequest } from './types.ts';

const models = ['local', 'openai/gpt-x', 'anthropic/claude-x', 'google/gemini-3-x'];
const pageText = 'The balance of Mrs Example is 12,345.67';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer(() => ({ text: '' }));
});
afterEach(() => server.close());

const request = (model: string, given: Partial<ModelRequest> = {}) =>
  requestTo(model, { messages: [{ role: 'user', text: pageText }], ...given });

async function failureOf(model: string, answer: MindAnswer | Fault, given: Partial<ModelRequest> = {}) {
  server.think(scripted([answer]));
  const asked = accessTo(server).ask(request(model, given), { signal: AbortSignal.timeout(20_000) });
  const error: unknown = await asked.then(() => undefined).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof ModelFailure, `${model}: ${inspect(error)}`);
  return error;
}

/** In everything that is logged, shown or stored of an error: its words, its fields, its stack and its causes. */
function assertClean(error: ModelFailure): void {
  const lines: string[] = [];
  createLog('agent', 'debug', { write: (line: string) => void lines.push(line) }).error({ err: error }, 'failed');
  const everything = [
    inspect(error, { depth: 10, showHidden: true }),
    JSON.stringify(error),
    error.stack,
    ...lines,
  ].join('\n');
  assert.doesNotMatch(everything, /canary|Mrs Example|12,345/);
  assert.equal(error.cause, undefined);
  assert.ok(error.message.length < 200, error.message);
}

const short = { limits: { totalMs: 400, stalledMs: 200 } };
const cases: { name: string; answer: MindAnswer | Fault; kind: FailureKind; retry: boolean; limits?: typeof short }[] =
  [
    { name: '429', answer: faults.rateLimited, kind: 'rate_limited', retry: true },
    {
      name: '429 for want of credit',
      answer: { fault: 'status', status: 429, code: 'insufficient_quota' },
      kind: 'rate_limited',
      retry: false,
    },
    { name: '500', answer: faults.serverError, kind: 'unavailable', retry: true },
    { name: '529', answer: faults.overloaded, kind: 'unavailable', retry: true },
    {
      name: '401',
      answer: { fault: 'status', status: 401, message: 'Incorrect key: sk-canary-local-0123456789abcdef' },
      kind: 'unauthorized',
      retry: false,
    },
    {
      name: '400 with the request in its words',
      answer: { fault: 'status', status: 400, code: pageText, message: pageText },
      kind: 'bad_request',
      retry: false,
    },
    {
      name: '404',
      answer: { fault: 'status', status: 404, code: 'model_not_found' },
      kind: 'bad_request',
      retry: false,
    },
    { name: '413', answer: { fault: 'status', status: 413 }, kind: 'too_long', retry: false },
    {
      name: '400 for its length',
      answer: { fault: 'status', status: 400, code: 'context_length_exceeded' },
      kind: 'too_long',
      retry: false,
    },
    { name: 'silence', answer: faults.silent, kind: 'stalled', retry: true, limits: short },
    {
      name: 'an answer that stands still',
      answer: faults.stalled,
      kind: 'stalled',
      retry: true,
      limits: { limits: { totalMs: 10_000, stalledMs: 200 } },
    },
    { name: 'a cut connection', answer: faults.cut, kind: 'cut', retry: true },
    { name: 'a connection cut in the answer', answer: faults.cutInAnswer, kind: 'cut', retry: true },
    { name: 'an answer without end', answer: faults.endlessBody, kind: 'cut', retry: true },
    { name: 'a refusal', answer: faults.refusal, kind: 'refused', retry: false },
  ];

describe('a call of a model that fails', () => {
  for (const { name, answer, kind, retry, limits } of cases)
    it(`is ${kind} after ${name}, on every wire, and tells no secret`, async () => {
      for (const model of models) {
        const error = await failureOf(model, answer, limits);
        assert.deepEqual({ model, kind: error.kind, retry: error.isRetryable }, { model, kind, retry });
        assertClean(error);
      }
      // One request each: retries are of the caller.
      assert.equal(server.books.length, models.length);
    });

  it('says how long to wait, as the vendor says it', async () => {
    for (const model of models) assert.equal((await failureOf(model, faults.rateLimited)).retryAfterMs, 2000);
    const inMs = await failureOf('local', { fault: 'rate_limited', retryAfter: '9', retryAfterMs: 120 });
    assert.equal(inMs.retryAfterMs, 120);
    const date = new Date(Date.now() + 60_000).toUTCString();
    const { retryAfterMs = 0 } = await failureOf('openai/gpt-x', { fault: 'rate_limited', retryAfter: date });
    assert.ok(retryAfterMs > 50_000 && retryAfterMs <= 60_000, String(retryAfterMs));
    assert.equal((await failureOf('local', { fault: 'rate_limited' })).retryAfterMs, undefined);
  });

  it('names the code of the vendor, and the tokens of a refusal', async () => {
    const missing = await failureOf('openai/gpt-x', { fault: 'status', status: 404, code: 'model_not_found' });
    assert.equal(missing.message, 'gpt-x (openai) did not accept the request (404 model_not_found).');
    const tokens = { input: 100, output: 8, cached: 0, cacheWritten: 0 };
    const refused = await failureOf('anthropic/claude-x', { ...faults.refusal, tokens });
    assert.deepEqual(refused.usage, { ...tokens, reasoning: 0 });
    assert.equal(refused.costMicros, 280);
  });

  it('is unavailable where nothing listens, and a bad request for a model that is not there', async () => {
    const access = accessTo(server);
    await server.close();
    const signal = AbortSignal.timeout(5000);
    await assert.rejects(access.ask(request('local'), { signal }), { kind: 'unavailable', isRetryable: true });
    await assert.rejects(access.ask(request('nothing'), { signal }), { kind: 'bad_request', isRetryable: false });
  });
});

describe('a call that is aborted', () => {
  it('closes its connection within 700 ms, on every wire', async () => {
    for (const [index, model] of models.entries()) {
      const leaving = new AbortController();
      server.think(() => ({ fault: 'slow', ms: 30_000, answer: { text: 'late' } }));
      const asked = accessTo(server).ask(request(model), { signal: leaving.signal });
      const rejected = assert.rejects(asked, (error: ModelFailure) => {
        assertClean(error);
        return error.kind === 'aborted' && !error.isRetryable;
      });
      await until(() => server.books.length === index + 1, 5000);
      const began = performance.now();
      leaving.abort(new Error(pageText));
      await rejected;
      const entry = server.books[index];
      await until(() => entry?.answer === 'closed by client', 700);
      assert.ok(performance.now() - began < 700);
      assert.ok((entry?.closedAfterMs ?? Number.NaN) < 30_000);
      assert.equal(entry?.tokens, undefined);
    }
  });

  it('is not begun where it was aborted before', async () => {
    const asked = accessTo(server).ask(request('local'), { signal: AbortSignal.abort() });
    await assert.rejects(asked, { kind: 'aborted' });
    assert.equal(server.books.length, 0);
  });

  it('leaves the queue where it waited for a place, and no more run at once than may', async () => {
    const open: (() => void)[] = [];
    server.think(() => new Promise((resolve) => open.push(() => resolve({ text: 'ok' }))));
    const access = accessTo(server, { concurrency: 2 });
    const leaving = new AbortController();
    const signal = AbortSignal.timeout(10_000);
    const first = [access.ask(request('local'), { signal }), access.ask(request('local'), { signal })];
    const left = assert.rejects(access.ask(request('local'), { signal: leaving.signal }), { kind: 'aborted' });
    const last = access.ask(request('local'), { signal });
    await until(() => open.length === 2, 5000);
    assert.deepEqual([access.places.busy(), access.places.waiting()], [2, 2]);
    leaving.abort();
    await left;
    assert.equal(server.books.length, 2);
    open[0]?.();
    await until(() => open.length === 3, 5000);
    for (const answer of open) answer();
    await Promise.all([...first, last]);
    assert.deepEqual([access.places.busy(), access.places.waiting(), server.books.length], [0, 0, 3]);
  });
});

describe('an answer that cannot be used', () => {
  const answered = async (model: string, answer: MindAnswer) => {
    server.think(scripted([answer]));
    return accessTo(server).ask(request(model), { signal: AbortSignal.timeout(10_000) });
  };

  it('has its calls marked: wrong input, cut input, unknown tool', async () => {
    for (const model of models) {
      const wrong = await answered(model, faults.wrongArguments);
      assert.match(wrong.toolCalls[0]?.invalid ?? '', /^The input does not fit: ref: /);
      assert.deepEqual(wrong.toolCalls[0]?.input, { reference: 4 });
      const unknown = await answered(model, faults.unknownTool);
      assert.equal(unknown.toolCalls[0]?.invalid, 'There is no tool "evaluate". Tools: finish, click');
      const cut = await answered(model, faults.cutArguments);
      assert.match(cut.toolCalls[0]?.invalid ?? '', /^The input (is not complete JSON|does not fit)/);
      assert.ok(cut.usage.input > 0);
    }
  });

  it('says that it was cut at its length', async () => {
    for (const model of models) {
      const { finish, toolCalls, text } = await answered(model, faults.endlessText);
      assert.deepEqual([finish, toolCalls.length, text.length > 1000], ['length', 0, true]);
    }
  });

  it('is heard where it has no call although one is required, as is a refusal', async () => {
    const required = { toolChoice: 'required' } as const;
    for (const model of models) {
      server.think(scripted([{ text: 'I think.' }]));
      const asked = accessTo(server).ask(request(model, required), { signal: AbortSignal.timeout(10_000) });
      const { text, toolCalls, usage } = await asked;
      assert.deepEqual([text, toolCalls.length, usage.input > 0], ['I think.', 0, true], model);
      assert.equal((await failureOf(model, faults.refusal, required)).kind, 'refused', model);
    }
  });

  it('is taken for a call where the call is written as text', async () => {
    const text = 'I remove it.\n```json\n{"name": "click", "arguments": {"ref": "e4"}}\n```';
    const answer = await answered('local', { text });
    const [call] = answer.toolCalls;
    assert.deepEqual([answer.toolCalls.length, call?.name, call?.input], [1, 'click', { ref: 'e4', count: 1 }]);
    assert.match(call?.id ?? '', /^text-[0-9a-f-]{36}$/);
    assert.deepEqual([answer.text, answer.finish, answer.isCallFromText], ['I remove it.', 'calls', true]);
  });
});

it('a slow and broken mind mixes faults into the answers of another', async () => {
  const broken = [faults.serverError, faults.unknownTool];
  server.think(slowAndBroken(() => ({ text: 'ok' }), { every: 2, faults: broken, slowMs: 5 }));
  const access = accessTo(server);
  const seen: string[] = [];
  for (let n = 0; n < 4; n += 1)
    await access
      .ask(request('local'), { signal: AbortSignal.timeout(10_000) })
      .then(({ text, toolCalls }) => seen.push(toolCalls[0]?.invalid ? 'invalid' : text))
      .catch((error: ModelFailure) => seen.push(error.kind));
  assert.deepEqual(seen, ['ok', 'unavailable', 'ok', 'invalid']);
});
