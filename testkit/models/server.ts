// A scripted model behind real HTTP on loopback, in the shapes of four vendors. It thinks with the mind it was given.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../listen.ts';
import { anthropicWire } from './anthropic-wire.ts';
import { createTokenCounter, type Entry, prefixesOf } from './books.ts';
import { chatWire } from './chat-wire.ts';
import { googleWire } from './google-wire.ts';
import type { Fault, Mind, MindAnswer, MindRequest, Wire } from './mind.ts';
import { responsesWire } from './responses-wire.ts';

export type ModelServer = {
  /** The base address of each wire, as settings take it. */
  addresses: { chat: string; responses: string; anthropic: string; google: string };
  books: Entry[];
  /** Answers the next requests with another mind. */
  think(mind: Mind): void;
  close(): Promise<void>;
};

const endlessChunk = 'x'.repeat(64 * 1024);

export async function startModelServer(mind: Mind): Promise<ModelServer> {
  const books: Entry[] = [];
  const count = createTokenCounter();
  const closing = new AbortController();
  let present = mind;

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const began = performance.now();
    const wire = wireOf(incoming.url ?? '');
    const text = await bodyOf(incoming);
    if (!wire) {
      response.writeHead(404, json).end('{"error":{"message":"no such path"}}');
      return;
    }
    const request = requestOf(wire, JSON.parse(text), incoming.url ?? '');
    const entry = entryOf(request, { n: books.length + 1, bytes: Buffer.byteLength(text), key: keyOf(incoming) });
    books.push(entry);
    response.on('close', () => {
      if (response.writableFinished || entry.answer !== 'open') return;
      entry.answer = 'closed by client';
      entry.closedAfterMs = performance.now() - began;
    });
    const thought = await present(request);
    if ('fault' in thought) fail({ fault: thought, wire, response, entry, answer, signal: closing.signal });
    else answer(thought);

    function answer(given: MindAnswer): void {
      // The client may have left while the mind was thinking.
      if (!wire || response.destroyed || entry.answer !== 'open') return;
      const tokens = count(request, given);
      const ids = (given.calls ?? []).map((_, index) => `call_${entry.n}_${index + 1}`);
      entry.tokens = tokens;
      entry.answer = 'answered';
      response.writeHead(200, json).end(JSON.stringify(wire.answer({ ...given, tokens, ids }, request)));
    }
  };

  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      response.destroy();
      // A mind that throws is a fault of the test, which would otherwise see only a cut connection.
      if (!closing.signal.aborted) console.error('scripted model:', error);
    });
  });
  const { url, close } = await listen(server);
  return {
    addresses: { chat: `${url}/v1`, responses: `${url}/v1`, anthropic: `${url}/v1`, google: `${url}/v1beta` },
    books,
    think: (other) => {
      present = other;
    },
    close: () => {
      closing.abort();
      return close();
    },
  };
}

const json = { 'content-type': 'application/json' };

type Failing = {
  fault: Fault;
  wire: Wire;
  response: ServerResponse;
  entry: Entry;
  answer(given: MindAnswer): void;
  signal: AbortSignal;
};

function fail({ fault, wire, response, entry, answer, signal }: Failing): void {
  switch (fault.fault) {
    case 'rate_limited':
      entry.answer = 'fault';
      response.writeHead(429, { ...json, ...waitOf(fault, wire) });
      response.end(JSON.stringify(wire.error(429, 'rate_limit_exceeded', 'Too many requests.', fault.retryAfter)));
      break;
    case 'status': {
      const { status, code = 'server_error', message = 'It does not work.' } = fault;
      entry.answer = 'fault';
      response.writeHead(status, json).end(JSON.stringify(wire.error(status, code, message, undefined)));
      break;
    }
    case 'slow': {
      const timer = setTimeout(() => answer(fault.answer), fault.ms);
      const stop = () => clearTimeout(timer);
      response.on('close', stop);
      signal.addEventListener('abort', stop, { once: true });
      break;
    }
    case 'endless_body':
      pour(response);
      break;
    case 'stall':
      if (fault.after === 'beginning') response.writeHead(200, json).write('{"id":');
      break;
    case 'cut':
      entry.answer = 'fault';
      if (fault.after === 'nothing') response.destroy();
      // The beginning has to be on its way before the connection is cut.
      else response.writeHead(200, json).write('{"id":', () => setImmediate(() => response.destroy()));
  }
}

/** Google says it in the body. */
function waitOf(fault: { retryAfter?: string; retryAfterMs?: number }, { name }: Wire): Record<string, string> {
  const { retryAfter, retryAfterMs } = fault;
  return {
    ...(retryAfter === undefined || name === 'google' ? {} : { 'retry-after': retryAfter }),
    ...(retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) }),
  };
}

function pour(response: ServerResponse): void {
  response.writeHead(200, json).write('{"text":"');
  const more = () => {
    if (response.destroyed) return;
    if (response.write(endlessChunk)) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}

function wireOf(path: string): Wire | undefined {
  if (path.endsWith('/chat/completions')) return chatWire;
  if (path.endsWith('/responses')) return responsesWire;
  if (path.endsWith('/messages')) return anthropicWire;
  return /:generateContent(\?|$)/.test(path) ? googleWire : undefined;
}

function requestOf(wire: Wire, body: Record<string, unknown>, path: string): MindRequest {
  const read = wire.read(body, path);
  const last = read.messages.findLast(({ role }) => role === 'user');
  return { ...read, wire: wire.name, lastUserText: last?.text ?? '', pictures: last?.pictures ?? [] };
}

function entryOf(request: MindRequest, given: Pick<Entry, 'n' | 'bytes' | 'key'>): Entry {
  const prefixes = prefixesOf(request);
  return {
    ...given,
    at: Date.now(),
    wire: request.wire,
    request,
    prefixes,
    prefixHash: prefixes.at(-2) ?? '',
    answer: 'open',
    tokens: undefined,
    closedAfterMs: undefined,
  };
}

const keyOf = ({ headers }: IncomingMessage) =>
  String(headers.authorization?.replace(/^Bearer /, '') ?? headers['x-api-key'] ?? headers['x-goog-api-key'] ?? '');

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
