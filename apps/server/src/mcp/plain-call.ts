// The usual call of a tool, without the SDK's server, transport and answer for each request, which cost as much as the call itself:
// a request of the newest revision with a name, arguments, and an envelope that the SDK has taken before. All others are the SDK's.

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { CallContext } from './call-tool.ts';
import type { ToolResult } from './tool.ts';

const revision = '2026-07-28';
const callKeys = ['jsonrpc', 'id', 'method', 'params'];
const paramKeys = ['name', 'arguments', '_meta'];
/** Of an envelope that is the same in each call of a client: not a key, a trace, or the wish to hear of progress. */
const envelopeKeys = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];
/** Of clients that call at the same time there are fewer kinds. */
const maxEnvelopes = 200;
const maxEnvelopeChars = 2000;

type Fields = Record<string, unknown>;
export type PlainCall = { id: string | number; params: { name: string; arguments?: Fields; _meta: Fields } };

export function createPlainCalls() {
  /** As they were written. */
  const envelopes = new Set<string>();
  /** The one that was not seen for the longest time makes room. */
  function remember(envelope: string): void {
    envelopes.delete(envelope);
    const [oldest] = envelopes;
    if (envelopes.size >= maxEnvelopes && oldest !== undefined) envelopes.delete(oldest);
    envelopes.add(envelope);
  }

  return {
    /** The SDK has checked the envelope of this request, and handed its call to our tool. */
    taken({ body }: Pick<FastifyRequest, 'body'>): void {
      const envelope = usualEnvelopeOf(fieldsOf(fieldsOf(body)?.params)?._meta);
      if (envelope !== undefined) remember(envelope);
    },

    /** Undefined where the request is not exactly such a call. */
    of({ headers, body }: Pick<FastifyRequest, 'headers' | 'body'>): PlainCall | undefined {
      const call = fieldsOf(body);
      const params = fieldsOf(call?.params);
      if (!call || !params || !hasOnly(call, callKeys) || !hasOnly(params, paramKeys)) return undefined;
      const { jsonrpc, id, method } = call;
      const { name, arguments: args, _meta } = params;
      const isCall =
        jsonrpc === '2.0' && method === 'tools/call' && (typeof id === 'string' || Number.isSafeInteger(id));
      const isSaid = headers['mcp-method'] === method && headers['mcp-name'] === name;
      if (!isCall || !isSaid || headers['mcp-protocol-version'] !== revision) return undefined;
      if (typeof name !== 'string' || (args !== undefined && !fieldsOf(args))) return undefined;
      const envelope = usualEnvelopeOf(_meta);
      if (envelope === undefined || !envelopes.has(envelope)) return undefined;
      remember(envelope);
      // All of it was looked at above.
      return { id, params } as PlainCall;
    },
  };
}

/** What a tool is told of a plain call: it brings no answer of a person and no key, and hears of nothing on its way. */
export const contextOf = ({ params: { _meta } }: PlainCall, signal: AbortSignal): CallContext => ({
  mcpReq: {
    _meta,
    // The SDK types only some of its keys.
    envelope: {
      [CLIENT_CAPABILITIES_META_KEY]: _meta[CLIENT_CAPABILITIES_META_KEY],
    } as CallContext['mcpReq']['envelope'],
    signal,
    notify: async () => {},
    requestState: () => undefined,
  },
});

/** The message that the SDK would send. */
export const answerOf = (
  { id }: PlainCall,
  result: ToolResult,
  serverInfo: { name: string; version: string },
): string =>
  JSON.stringify({
    result: { resultType: 'complete', ...result, _meta: { ...result._meta, [SERVER_INFO_META_KEY]: serverInfo } },
    jsonrpc: '2.0',
    id,
  });

/** As it was written. */
function usualEnvelopeOf(meta: unknown): string | undefined {
  const fields = fieldsOf(meta);
  if (!fields || !hasOnly(fields, envelopeKeys) || fields[PROTOCOL_VERSION_META_KEY] !== revision) return undefined;
  // What is nested too deeply for this is no usual envelope.
  const text = textOf(fields);
  return text !== undefined && text.length <= maxEnvelopeChars ? text : undefined;
}

function textOf(fields: Fields): string | undefined {
  try {
    return JSON.stringify(fields);
  } catch {
    return undefined;
  }
}

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
const hasOnly = (fields: Fields, keys: readonly string[]): boolean =>
  Object.keys(fields).every((key) => keys.includes(key));
