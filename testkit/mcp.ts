// Clients of the MCP interface: the official one of the current revision, and one that sends what it is told to.

import assert from 'node:assert/strict';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  PROTOCOL_VERSION_META_KEY,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';

export const mcpRevision = '2026-07-28';

type Options = {
  /** The answer of the client's user to a question; undefined where they do not want to answer. Without it the client cannot ask. */
  answer?: (message: string) => string | undefined;
  fetch?: typeof fetch;
};
// biome-ignore lint/suspicious/noExplicitAny: each test knows the fields of the tools that it calls.
type Facts = Record<string, any>;
export type ToolReply = { facts: Facts; text: string; isError: boolean; content: CallToolResult['content'] };

export async function connectMcp(baseUrl: string, token: string | undefined, { answer, fetch }: Options = {}) {
  const capabilities = answer ? { elicitation: {} } : {};
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode: { pin: mcpRevision } } },
  );
  if (answer)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      const said = answer(params.message);
      return said === undefined ? { action: 'decline' } : { action: 'accept', content: { answer: said } };
    });
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), { requestInit: { headers }, fetch });
  await client.connect(transport);

  return {
    client,
    async call(
      name: string,
      args: object = {},
      options: { meta?: object; signal?: AbortSignal } = {},
    ): Promise<ToolReply> {
      const result = await client.callTool(
        { name, arguments: { ...args }, ...(options.meta && { _meta: { ...options.meta } }) },
        { signal: options.signal, timeout: 60_000 },
      );
      const [first] = result.content;
      assert.ok(first?.type === 'text');
      assert.ok(result.structuredContent);
      return {
        facts: result.structuredContent as Facts,
        text: first.text,
        isError: result.isError ?? false,
        content: result.content,
      };
    },
    close: () => client.close(),
  };
}

/** One call of a tool as one HTTP request, with these parameters beside those of every request. */
export function requestOfCall(
  token: string,
  { name, ...params }: { name: string; [key: string]: unknown },
): RequestInit {
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: mcpRevision,
    [CLIENT_INFO_META_KEY]: { name: 'test', version: '1' },
    [CLIENT_CAPABILITIES_META_KEY]: { elicitation: {} },
  };
  return {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': mcpRevision },
      ...{ 'mcp-method': 'tools/call', 'mcp-name': name },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, ...params, _meta } }),
  };
}
