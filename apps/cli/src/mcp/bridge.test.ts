import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { runBridge } from './bridge.ts';

type Sent = { headers: Headers; body: string; signal: AbortSignal };

/** Lines in, lines out, and what the server was sent. */
async function bridge(lines: string[], answer: (sent: Sent) => Response | Promise<Response>) {
  const input = new PassThrough();
  const sent: Sent[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it looks at.
  const written: any[] = [];
  const warned: string[] = [];
  const running = runBridge({
    url: 'http://127.0.0.1:4000',
    token: 'phk_test',
    input,
    write: (message) => void written.push(message),
    warn: (line) => void warned.push(line),
    fetch: async (_url, init) => {
      const one = {
        headers: new Headers(init?.headers),
        body: String(init?.body),
        signal: init?.signal as AbortSignal,
      };
      sent.push(one);
      return answer(one);
    },
  });
  for (const line of lines) {
    input.write(`${line}\n`);
    // One after the other, as a client that waits for an answer sends them.
    await new Promise((resolve) => setImmediate(resolve));
  }
  input.end();
  await running;
  return { sent, written, warned };
}
const json = (body: object, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

describe('the MCP bridge', () => {
  it('passes messages as they are, with the revision that was agreed on', async () => {
    const { sent, written } = await bridge(
      [
        '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '',
        '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
      ],
      ({ body }) =>
        body.includes('initialize"')
          ? json({ jsonrpc: '2.0', id: 1, result: { protocolVersion: '2025-06-18' } })
          : body.includes('notifications')
            ? new Response(null, { status: 202 })
            : new Response(
                'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n',
                { headers: { 'content-type': 'text/event-stream' } },
              ),
    );
    assert.equal(sent.length, 3);
    assert.deepEqual(
      sent.map(({ headers }) => headers.get('authorization')),
      Array(3).fill('Bearer phk_test'),
    );
    assert.equal(sent[0]?.headers.get('mcp-protocol-version'), null);
    assert.equal(sent[2]?.headers.get('mcp-protocol-version'), '2025-06-18');
    assert.deepEqual(
      written.map(({ id, method }) => id ?? method),
      [1, 'notifications/progress', 2],
    );
  });

  it('names revision, method and tool of a message that says its revision itself', async () => {
    const params = { name: 'observe', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
    const line = JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params });
    const { sent } = await bridge([line], () => json({ jsonrpc: '2.0', id: 'a', result: {} }));
    const names = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];
    assert.deepEqual(
      names.map((name) => sent[0]?.headers.get(name)),
      ['2026-07-28', 'tools/call', 'observe'],
    );
    assert.equal(sent[0]?.body, line);
  });

  it('answers in place of the server only where it cannot be reached or refuses the login', async () => {
    const request = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}';
    const lost = await bridge([request, 'not JSON'], () => Promise.reject(new TypeError('fetch failed')));
    assert.deepEqual(
      lost.written.map(({ id, error }) => [id, error.code]),
      [
        [7, -32603],
        [null, -32700],
      ],
    );
    assert.match(lost.warned.join(), /fetch failed/);
    const refused = await bridge([request], () =>
      json({ detail: 'The key is not valid.', code: 'token_invalid' }, 401),
    );
    assert.equal(refused.written[0].error.message, 'Pilothouse: The key is not valid.');
    const said = await bridge([request], () =>
      json({ jsonrpc: '2.0', id: 7, error: { code: -32000, message: 'no' } }, 400),
    );
    assert.equal(said.written[0].error.code, -32000, 'an error of the protocol is passed on');
  });

  it('ends a request that its client cancelled, and says nothing of it', async () => {
    const lines = [
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}',
    ];
    const { written } = await bridge(lines, ({ body, signal }) =>
      body.includes('cancelled')
        ? new Response(null, { status: 202 })
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    assert.deepEqual(written, []);
  });
});
