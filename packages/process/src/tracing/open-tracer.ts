// Opens a tracer of OpenTelemetry: the only file that loads its packages, and only where traces are wanted. Nothing is registered
// globally, so no library that knows OpenTelemetry writes into these traces what it sees, such as prompts.

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Link,
  SpanKind as OtelKind,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { reportingExporter } from './reporting-exporter.ts';
import { type SpanKind, safeAttributes, spanKinds } from './spans.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';
import type { OpenSpan, Origin, Tracer, TracerSettings } from './tracer.ts';

/** At most as many spans wait; further ones are dropped. With their attributes they take about 2 KB each. */
const maxQueueSize = 2048;
const maxExportBatchSize = 256;
/** Of one batch, with its repetitions. */
const exportMs = 10_000;
const closeMs = 2000;
const delayMs = 2000;

const kinds: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
  internal: OtelKind.INTERNAL,
};

/** Timers and listeners that began in a span outlive it: with its end they are in none. */
type Present = { span: OtelSpan | undefined };

export function openTracer(settings: TracerSettings): Tracer {
  const provider = createProvider(settings);
  const otel = provider.getTracer('pilothouse');
  const present = new AsyncLocalStorage<Present>();
  const presentSpan = () => present.getStore()?.span;

  return {
    open(name, attributes, origin) {
      const parent = presentSpan();
      if (!parent && !origin) return undefined;
      // The trace is not kept, so nothing below it has to be built. Its header still says so to others.
      if (!origin && !parent?.isRecording()) return undefined;
      const context = origin ? contextOf(origin.parent) : trace.setSpan(ROOT_CONTEXT, parent as OtelSpan);
      const options = { kind: kinds[spanKinds[name]], attributes: safeAttributes(attributes), links: linksOf(origin) };
      return openSpanOf(otel.startSpan(name, options, context), present);
    },

    traceparent() {
      const span = presentSpan();
      return span && formatTraceparent(addressOf(span.spanContext()));
    },

    logFields() {
      const span = presentSpan();
      return span && fieldsOf(span);
    },

    async close() {
      const stop = new AbortController();
      const ended = provider.shutdown().catch(() => {}); // The exporter has said it already.
      await Promise.race([
        ended,
        sleep(settings.closeMs ?? closeMs, undefined, { signal: stop.signal }).catch(() => {}),
      ]);
      stop.abort();
    },
  };
}

function createProvider(settings: TracerSettings): { getTracer(name: string): OtelTracer; shutdown(): Promise<void> } {
  const { service, instance, url, headers, ratio, log } = settings;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: exportMs, concurrencyLimit: 2 });
  const processor = new BatchSpanProcessor({
    exporter: reportingExporter(exporter, log),
    maxQueueSize,
    maxExportBatchSize,
    scheduledDelayMillis: settings.delayMs ?? delayMs,
    exportTimeoutMillis: exportMs + 1000,
  });
  return new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'pilothouse',
      'service.name': service,
      'service.instance.id': instance,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [processor],
    spanLimits: { attributeCountLimit: 24, attributeValueLengthLimit: 128, linkCountLimit: 1 },
  });
}

function openSpanOf(span: OtelSpan, present: AsyncLocalStorage<Present>): OpenSpan {
  const place: Present = { span };
  const fields = fieldsOf(span);
  return {
    note: (attributes) => void place.span?.setAttributes(safeAttributes(attributes)),
    fail(kind) {
      place.span?.setAttributes(safeAttributes({ error: kind }));
      place.span?.setStatus({ code: SpanStatusCode.ERROR });
    },
    within: (work) => present.run(place, work),
    logFields: () => fields,
    end() {
      place.span?.end();
      place.span = undefined;
    },
  };
}

const fieldsOf = (span: OtelSpan) => {
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
};

const addressOf = ({ traceId, spanId, traceFlags }: SpanContext) => ({
  traceId,
  spanId,
  isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0,
});

function contextOf(parent: Origin['parent']) {
  const remote = remoteOf(parent);
  return remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : ROOT_CONTEXT;
}

function linksOf(origin: Origin | undefined): Link[] {
  const remote = remoteOf(origin?.link);
  return remote ? [{ context: remote }] : [];
}

function remoteOf(header: string | null | undefined): SpanContext | undefined {
  const address = parseTraceparent(header);
  if (!address) return undefined;
  const { traceId, spanId, isSampled } = address;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}
