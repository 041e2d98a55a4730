// A receiver of traces as OpenTelemetry sends them (OTLP over HTTP, in JSON), on loopback. It keeps every span.

import { createServer } from 'node:http';
import { listen } from '../listen.ts';

export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  /** Undefined for the first of its trace. */
  parentId: string | undefined;
  name: string;
  kind: number;
  /** In milliseconds since 1970, with their fraction. */
  start: number;
  end: number;
  attributes: Record<string, string | number | boolean>;
  isFailed: boolean;
  links: string[];
  /** The process that sent it. */
  service: string;
  instance: string;
};

type OtlpValue = { stringValue?: string; intValue?: string | number; doubleValue?: number; boolValue?: boolean };
type OtlpAttributes = { key: string; value: OtlpValue }[];
type OtlpSpan = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: OtlpAttributes;
  status?: { code?: number };
  links?: { traceId: string; spanId: string }[];
};
type OtlpBody = {
  resourceSpans: { resource: { attributes: OtlpAttributes }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

const failed = 2;

export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  /** The bodies as they came, for tests that look for what must not be in them. */
  const bodies: string[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isHere = request.method === 'POST' && request.url === '/v1/traces';
      response.writeHead(isHere ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
      if (!isHere) return;
      const body = Buffer.concat(chunks).toString();
      bodies.push(body);
      headers.push(request.headers);
      spans.push(...spansOf(JSON.parse(body)));
    });
  });
  const { url, close } = await listen(server);
  return { url, spans, bodies, headers, close };
}
export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;

function spansOf({ resourceSpans }: OtlpBody): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { 'service.name': service, 'service.instance.id': instance } = attributesOf(resource.attributes);
    const from = { service: String(service), instance: String(instance) };
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...spanOf(span), ...from })));
  });
}

const spanOf = (span: OtlpSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  parentId: span.parentSpanId || undefined,
  name: span.name,
  kind: span.kind,
  start: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
  end: Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000,
  attributes: attributesOf(span.attributes),
  isFailed: span.status?.code === failed,
  links: (span.links ?? []).map(({ traceId }) => traceId),
});

const attributesOf = (given: OtlpAttributes = []) =>
  Object.fromEntries(given.map(({ key, value }) => [key, plainOf(value)]));

const plainOf = ({ stringValue, intValue, doubleValue, boolValue }: OtlpValue) =>
  stringValue ?? boolValue ?? doubleValue ?? Number(intValue);
