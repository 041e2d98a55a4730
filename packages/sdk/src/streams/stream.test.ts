import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ErrorCode, errors } from '@pilothouse/contract';
import fc from 'fast-check';
import { toError } from '../common/refusal.ts';
import { type Client, createClient } from '../index.ts';
import { kindsOf } from './event-kinds.ts';
import { follow } from './stream.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const id = '01890000-0000-7000-8000-000000000001';
const wireOf = (seq: number, type = 'log') =>
  `id: c${seq}\nevent: ${type}\ndata: ${JSON.stringify({ type, seq, text: 'Grüße 😀' })}\n\n`;
const end = 'event: end\ndata: {"type":"end","status":"success"}\n\n';

describe('following a stream', () => {
  let client: Client;
  let baseUrl: string;
  let answers: Answer[];
  let requests: { url: string; lastEventId: string | undefined }[];
  const server = createServer((request, response) => {
    const lastEventId = request.headers['last-event-id'] as string | undefined;
    requests.push({ url: request.url ?? '', lastEventId });
    // The last answer is given again and again.
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(request, response);
  });
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = createClient({ baseUrl, token: () => 'pha_test' });
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    requests = [];
    answers = [];
  });

  const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
  const sendAll =
    (...parts: string[]): Answer =>
    (_, response) =>
      void stream(response).end(parts.join(''));
  const refuse =
    (code: ErrorCode, retryAfter?: string): Answer =>
    (_, response) => {
      const { status, title } = errors[code];
      const body = { type: 'about:blank', title, status, detail: title, success: false, code, request_id: 'r' };
      response.writeHead(status, {
        'content-type': 'application/problem+json',
        ...(retryAfter && { 'retry-after': retryAfter }),
      });
      response.end(JSON.stringify(body));
    };
  const collect = async (events: AsyncIterable<object>) => {
    const seen: unknown[] = [];
    for await (const event of events) seen.push('seq' in event ? event.seq : 'type' in event && event.type);
    return seen;
  };

  it('gives typed events until the end, in text as it was sent', async () => {
    answers = [sendAll('retry: 40\n\n', wireOf(1), ': beat\n\n', end)];
    const seen: string[] = [];
    for await (const event of client.followTask({ id })) {
      if (event.type === 'end') seen.push(event.status);
      else seen.push(JSON.stringify(event));
    }
    assert.deepEqual(seen, ['{"type":"log","seq":1,"text":"Grüße 😀"}', 'success']);
    assert.equal(requests.length, 1);
  });

  it('goes on without gap or repeat, wherever the connection is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(900), { maxLength: 6 }), async (lengths) => {
        const count = 8;
        // A server with a log: it sends the events after the id, and cuts the connection after some bytes.
        const serve = (cutAt: number): Answer => {
          return (request, response) => {
            const from = Number(String(request.headers['last-event-id'] ?? 'c0').slice(1));
            const left = Array.from({ length: count - from }, (_, index) => wireOf(from + index + 1));
            const bytes = Buffer.from(`retry: 8\n\n${left.join('')}${end}`);
            stream(response);
            response.write(bytes.subarray(0, cutAt), () => {
              if (cutAt < bytes.length) response.destroy();
              else response.end();
            });
          };
        };
        answers = [...lengths.map(serve), serve(Number.POSITIVE_INFINITY)];
        assert.deepEqual(await collect(client.followTask({ id })), [1, 2, 3, 4, 5, 6, 7, 8, 'end']);
      }),
      { numRuns: 30 },
    );
  });

  it('begins at the cursor, holds to it until an event came, and then to the id of the last event', async () => {
    answers = [sendAll('retry: 8\n\n'), sendAll(wireOf(5)), sendAll(': beat\n\n'), sendAll(wireOf(6), end)];
    assert.deepEqual(await collect(client.followTaskStream({ id, cursor: 'c4' })), [5, 6, 'end']);
    const asked = requests.map(({ url, lastEventId }) => [url.split('?')[1], lastEventId]);
    assert.deepEqual(asked, [
      ['cursor=c4', undefined],
      ['cursor=c4', undefined],
      [undefined, 'c5'],
      [undefined, 'c5'],
    ]);
  });

  it('skips kinds it does not know, and still resumes behind them', async () => {
    answers = [sendAll('retry: 8\n\n', wireOf(1), wireOf(2, 'confetti')), sendAll(wireOf(3), end)];
    assert.deepEqual(await collect(client.followTask({ id })), [1, 3, 'end']);
    assert.equal(requests[1]?.lastEventId, 'c2');
  });

  it('ends where there is no place to go on from', async () => {
    answers = [sendAll('event: reset\ndata: {"type":"reset","reason":"cursor_expired"}\n\n')];
    assert.deepEqual(await collect(client.followSession({ id, cursor: 'old' })), ['reset']);
  });

  it('says when it is connected and when it comes back, once each', async () => {
    const states: string[] = [];
    const broken: Answer = (_, response) => void response.destroy();
    const proxy: Answer = (_, response) => void response.writeHead(502).end('<h1>Bad gateway</h1>');
    answers = [sendAll('retry: 8\n\n', wireOf(1)), broken, proxy, sendAll(wireOf(2), end)];
    await collect(client.followTask({ id }, { onConnection: (state) => states.push(state) }));
    assert.deepEqual(states, ['connected', 'reconnecting', 'connected']);
  });

  for (const code of ['token_expired', 'not_found', 'validation_failed'] as const) {
    it(`throws when refused with ${code}, on a later connection too`, async () => {
      answers = [sendAll('retry: 8\n\n', wireOf(1)), refuse(code)];
      await assert.rejects(collect(client.followTask({ id })), { name: 'ApiError', code });
      assert.equal(requests.length, 2);
    });
  }

  it('throws the reason of the abort: before, while connected, and while waiting to reconnect', async () => {
    const reason = new Error('enough');
    answers = [sendAll(end)];
    await assert.rejects(collect(client.followTask({ id }, { signal: AbortSignal.abort(reason) })), reason);
    assert.equal(requests.length, 0);

    const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>();
    const open: Answer = (_, response) => {
      stream(response).write(wireOf(1));
      response.on('close', closed);
    };
    for (const [answer, when] of [
      [open, 'connected'],
      [sendAll('retry: 60000\n\n'), 'reconnecting'],
    ] as const) {
      answers = [answer];
      const abort = new AbortController();
      // A turn later, so that it waits for the next event or in its pause.
      const onConnection = (state: string) => {
        if (state === when) setImmediate(() => abort.abort(reason));
      };
      await assert.rejects(collect(client.followTask({ id }, { signal: abort.signal, onConnection })), reason);
    }
    // And the connection is closed.
    await isClosed;
  });

  it('closes the connection when the loop is left', async () => {
    const closed = new Promise((resolve) => {
      answers = [(_, response) => void stream(response).on('close', resolve).write(wireOf(1))];
    });
    for await (const _ of client.followTask({ id })) break;
    await closed;
  });

  it('throws on a message that is not an event, instead of leaving a gap', async () => {
    answers = [sendAll('data: <html>\n\n')];
    await assert.rejects(collect(client.followTask({ id })), /no event/);
  });

  type Fast = Pick<Parameters<typeof follow>[0], 'silenceMs' | 'random' | 'sleep' | 'connect'>;
  const followFast = (options: Partial<Fast>) =>
    follow({
      connect: ({ lastEventId = '' }, signal) =>
        fetch(baseUrl, { headers: { 'last-event-id': lastEventId }, signal }).catch(() => {
          throw signal.reason;
        }),
      kinds: kindsOf('task'),
      ...options,
    });

  it('takes a silent connection for a broken one, but not a beating one', async () => {
    const [silenceMs, beatMs] = [400, 40];
    const silent: Answer = (_, response) => void stream(response).write(`retry: 8\n\n${wireOf(1)}`);
    const mute: Answer = () => {};
    const beating: Answer = (_, response) => {
      stream(response).write(wireOf(2));
      let beats = 0;
      const beat = setInterval(() => {
        beats += 1;
        response.write(': beat\n\n');
        if (beats * beatMs < 2 * silenceMs) return;
        clearInterval(beat);
        response.end(end);
      }, beatMs);
    };
    answers = [silent, mute, beating];
    assert.deepEqual(await collect(followFast({ silenceMs })), [1, 2, 'end']);
    assert.deepEqual(
      requests.map(({ lastEventId }) => lastEventId),
      ['', 'c1', 'c1'],
    );
  });

  it('comes back after the time the server asks for: sooner at first, later when it fails again', async () => {
    const nothing = sendAll('retry: 160\n\n');
    answers = [sendAll('retry: 160\n\n', wireOf(1)), nothing, nothing, nothing, sendAll(wireOf(2)), sendAll(end)];
    const waits: number[] = [];
    await collect(followFast({ random: () => 1, sleep: async (ms) => void waits.push(ms) }));
    assert.deepEqual(waits, [20, 40, 80, 160, 20]);
    assert.equal(requests.length, 6);
  });

  it('waits as long as it is asked to when there are too many', async () => {
    answers = [refuse('rate_limited', '3'), refuse('overloaded'), sendAll(end)];
    const waits: number[] = [];
    const connect = async (_: unknown, signal: AbortSignal) => {
      const response = await fetch(baseUrl, { signal });
      if (response.ok) return response;
      throw await toError(response);
    };
    const events = followFast({ connect, random: () => 1, sleep: async (ms) => void waits.push(ms) });
    assert.deepEqual(await collect(events), ['end']);
    assert.deepEqual(waits, [3000 + 250, 500]);
  });
});
