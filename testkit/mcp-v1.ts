// The official client of the earlier SDK and revision: it shakes hands first, and cannot be asked by a server without sessions.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ToolReply } from './mcp.ts';

export async function connectMcpV1(
  baseUrl: string,
  token: string,
  { fetch }: { fetch?: typeof globalThis.fetch } = {},
) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    // The two packages differ in how they type a field that may be absent.
    new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), { requestInit: { headers }, fetch }) as never,
  );

  return {
    client,
    async call(name: string, args: object = {}): Promise<ToolReply> {
      const request = { name, arguments: { ...args } };
      const result = CallToolResultSchema.parse(await client.callTool(request, undefined, { timeout: 60_000 }));
      const [first] = result.content;
      assert.ok(first?.type === 'text' && result.structuredContent);
      return {
        facts: result.structuredContent,
        text: first.text,
        isError: result.isError ?? false,
        // Both revisions write pictures and texts alike.
        content: result.content as ToolReply['content'],
      };
    },
    close: () => client.close(),
  };
}
