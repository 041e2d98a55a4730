// MCP on standard input and output: each message goes to `/mcp` of a server, and each answer comes back. Knows no tool; never
// answers in place of the server, except that it cannot be reached.

import { createInterface } from 'node:readline';
import { createSseParser } from '@pilothouse/sdk';

type Message = {
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
};
type Options = {
  url: string;
  token: string | undefined;
  input: NodeJS.ReadableStream;
  write(message: object): void;
  warn(line: string): void;
  fetch?: typeof fetch;
};

const revisionKey = 'io.modelcontextprotocol/protocolVersion';
/** A call waits at most 50 seconds at the server. */
const answeredWithinMs = 120_000;

/** Ends when the input ends and everything that was asked is answered. */
export async function runBridge({ url, token, input, write, warn, fetch: ownFetch = fetch }: Options): Promise<void> {
  const open = new Map<string | number, AbortController>();
  const pending = new Set<Promise<void>>();
  let revision: string | undefined;

  const answer = (text: string) => {
    const message = JSON.parse(text) as Message;
    const agreed = message.result?.protocolVersion;
    if (typeof agreed === 'string') revision = agreed;
    write(message);
  };

  async function pass(message: Message, text: string, signal: AbortSignal): Promise<void> {
    const response = await ownFetch(new URL('/mcp', url), {
      method: 'POST',
      headers: headersOf(message, { token, revision }),
      body: text,
      signal,
    });
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) return readEvents(response, answer);
    const body = await response.text();
    // A refusal before the protocol, such as of the login, is a problem document.
    if (!response.ok && !isProtocol(body)) throw new Error(detailOf(body) ?? `the server answered ${response.status}`);
    if (body.trim() !== '') answer(body);
  }

  async function take(text: string): Promise<void> {
    const message = parse(text);
    if (!message) return write(errorOf(null, -32700, 'this is not JSON'));
    if (message.method === 'notifications/cancelled') open.get(message.params?.requestId as string)?.abort();
    const stopping = new AbortController();
    if (message.id !== undefined) open.set(message.id, stopping);
    try {
      await pass(message, text, AbortSignal.any([stopping.signal, AbortSignal.timeout(answeredWithinMs)]));
    } catch (error) {
      if (stopping.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      warn(`pilothouse mcp: ${reason}`);
      if (message.id !== undefined && message.method) write(errorOf(message.id, -32603, `Pilothouse: ${reason}`));
    } finally {
      if (message.id !== undefined) open.delete(message.id);
    }
  }

  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue;
    const taken = take(line);
    pending.add(taken);
    void taken.finally(() => pending.delete(taken));
  }
  await Promise.all(pending);
}

function headersOf(message: Message, { token, revision }: { token?: string; revision?: string }): Headers {
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  if (token) headers.set('authorization', `Bearer ${token}`);
  // From the revision 2026-07-28 on, each request says its revision, and its headers say what is in it.
  const own = (message.params?._meta as Record<string, unknown> | undefined)?.[revisionKey];
  if (typeof own === 'string' && message.method) {
    headers.set('mcp-protocol-version', own);
    headers.set('mcp-method', message.method);
    const { name } = message.params ?? {};
    if (message.method === 'tools/call' && typeof name === 'string' && /^[\x20-\x7e]+$/.test(name))
      headers.set('mcp-name', name);
  } else if (revision && message.method !== 'initialize') headers.set('mcp-protocol-version', revision);
  return headers;
}

async function readEvents(response: Response, answer: (text: string) => void): Promise<void> {
  const parser = createSseParser();
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
    for (const data of parser.push(piece.value)) if (data !== '') answer(data);
}

function parse(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

const isProtocol = (body: string): boolean => (parse(body) as { jsonrpc?: unknown } | undefined)?.jsonrpc === '2.0';

function detailOf(body: string): string | undefined {
  const { detail } = (parse(body) ?? {}) as { detail?: unknown };
  return typeof detail === 'string' ? detail : undefined;
}

const errorOf = (id: string | number | null, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});
