import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { keepsPrefix } from '../../../../testkit/models/books.ts';
import { scripted } from '../../../../testkit/models/minds.ts';
import { type ModelServer, startModelServer } from '../../../../testkit/models/server.ts';
import { accessTo, requestTo } from '../../testing/models.ts';
import type { ModelAccess } from './model-access.ts';
import type { Message } from './types.ts';

const wires = [
  { model: 'local', wire: 'chat', provider: 'local', id: 'tiny' },
  { model: 'openai/gpt-x', wire: 'responses', provider: 'openai', id: 'gpt-x' },
  { model: 'anthropic/claude-x', wire: 'anthropic', provider: 'anthropic', id: 'claude-x' },
  { model: 'google/gemini-3-x', wire: 'google', provider: 'google', id: 'gemini-3-x' },
] as const;

const picture = { mediaType: 'image/jpeg' as const, bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 0xff, 0xd9]) };
const signal = () => AbortSignal.timeout(20_000);

/** Two decisions ago, one result, and what is seen now. */
const talk: Message[] = [
  { role: 'user', text: 'Remove the lantern.', cache: true },
  {
    role: 'assistant',
    text: 'Goal: remove it',
    calls: [{ id: 'call_1', name: 'click', input: { ref: 'e4', count: 1 } }],
  },
  { role: 'tool', results: [{ id: 'call_1', name: 'click', text: 'done, page changed' }], cache: true },
  { role: 'user', text: '# Basket\nBasket is empty', pictures: [picture] },
];

for (const { model, wire, provider, id } of wires)
  describe(`asking over the wire ${wire}`, () => {
    let server: ModelServer;
    let access: ModelAccess;
    beforeEach(async () => {
      server = await startModelServer(() => ({ text: '' }));
      access = accessTo(server);
    });
    afterEach(() => server.close());
    const ask = (messages: Message[] = talk) => access.ask(requestTo(model, { messages }), { signal: signal() });

    it('brings calls and words back, with tokens, cost and time', async () => {
      const calls = [
        { name: 'click', input: { ref: 'e4' } },
        { name: 'finish', input: { state: 'done', summary: 'Removed.' } },
      ];
      const tokens = { input: 1000, cached: 400, cacheWritten: wire === 'anthropic' ? 100 : 0, output: 50 };
      server.think(scripted([{ calls, text: 'Goal: remove it', tokens }]));
      const { toolCalls, usage, costMicros, ms, ...rest } = await ask();
      assert.deepEqual(
        toolCalls.map(({ name, input, invalid }) => ({ name, input, invalid })),
        [
          { name: 'click', input: { ref: 'e4', count: 1 }, invalid: undefined },
          { name: 'finish', input: { state: 'done', summary: 'Removed.' }, invalid: undefined },
        ],
      );
      assert.equal(new Set(toolCalls.map((call) => call.id)).size, 2);
      assert.deepEqual(rest, { text: 'Goal: remove it', finish: 'calls', isCallFromText: false, model: id, provider });
      assert.deepEqual(usage, { ...tokens, reasoning: 0 });
      // Dollars a million: 2 fresh, 0.2 cached, 2.5 written, 10 out.
      assert.equal(costMicros, (wire === 'anthropic' ? 500 * 2 + 100 * 2.5 : 600 * 2) + 400 * 0.2 + 50 * 10);
      assert.ok(ms >= 0 && ms < 10_000);
    });

    it('sends system, talk, results, picture and tools as they were given', async () => {
      server.think(scripted([{ text: 'ok' }]));
      await ask();
      const [entry] = server.books;
      assert.ok(entry);
      const { request } = entry;
      assert.equal(entry.wire, wire);
      assert.equal(request.model, id);
      assert.equal(request.system, 'You drive a browser.');
      assert.deepEqual(
        request.tools.map(({ name }) => name),
        ['finish', 'click'],
      );
      assert.match(JSON.stringify(request.tools[1]?.schema), /"ref"/);
      assert.equal(request.maxOutputTokens, 1000);
      assert.equal(request.lastUserText, '# Basket\nBasket is empty');
      assert.deepEqual(request.pictures, [picture]);
      const calls = request.messages.flatMap((message) => message.calls);
      assert.deepEqual(
        calls.map(({ name, input }) => ({ name, input })),
        [{ name: 'click', input: { ref: 'e4', count: 1 } }],
      );
      const results = request.messages.flatMap((message) => message.results);
      assert.deepEqual(
        results.map(({ name, text }) => ({ name, text })),
        [{ name: 'click', text: 'done, page changed' }],
      );
      assert.equal(request.cacheKey, wire === 'responses' ? 'task-1' : undefined);
      assert.equal(entry.key, `sk-canary-${provider}-0123456789abcdef`);
    });

    it('keeps the prefix from call to call, and reads what the vendor had cached', async () => {
      server.think(() => ({ text: 'ok' }));
      const seen = (text: string): Message => ({ role: 'user', text });
      const first = await ask([...talk.slice(0, 3), seen('first view')]);
      const second = await ask([
        ...talk.slice(0, 3),
        { role: 'assistant', calls: [{ id: 'call_2', name: 'click', input: { ref: 'e5', count: 1 } }] },
        { role: 'tool', results: [{ id: 'call_2', name: 'click', text: 'done' }], cache: true },
        seen('second view'),
      ]);
      const [one, two] = server.books;
      assert.ok(one?.tokens && two?.tokens);
      assert.ok(keepsPrefix(one, two));
      assert.deepEqual({ ...first.usage }, one.tokens);
      assert.deepEqual({ ...second.usage }, two.tokens);
      assert.equal(first.usage.cached, 0);
      assert.ok(second.usage.cached > 20 && second.usage.cached < second.usage.input);
      assert.equal(first.usage.cacheWritten > 0, wire === 'anthropic');
      const marks = two.request.messages.map(({ isMarked }) => isMarked);
      assert.deepEqual(marks.filter(Boolean).length, wire === 'anthropic' ? 3 : 0);
      assert.equal(two.request.isSystemMarked, wire === 'anthropic');
    });
  });
