// What a tracer is to the rest of this room.

import type { Logger } from 'pino';
import type { SpanAttributes, SpanName } from './spans.ts';

export type TracerSettings = {
  /** The process, as traces name it: `pilothouse-agent`. */
  service: string;
  /** Which of them. */
  instance: string;
  /** Of an OTLP/HTTP receiver, with the path for traces. */
  url: string;
  headers: Record<string, string>;
  /** How many of the traces that begin here are kept, from 0 to 1. */
  ratio: number;
  log: Pick<Logger, 'info' | 'warn'>;
  /** How long the end of the process waits for the receiver. */
  closeMs?: number;
  /** How long spans are collected before they are sent. */
  delayMs?: number;
};

export type LogFields = { trace_id: string; span_id: string };

/** A span that has begun. After its end it does nothing. */
export type OpenSpan = {
  note(attributes: SpanAttributes): void;
  /** One word for what went wrong, never a message: it may quote a page. */
  fail(kind: string): void;
  /** What is done in there is below this span: other spans, requests over the bus, lines of the log. */
  within<T>(work: () => T): T;
  /** For a line of the log that is written outside of it. */
  logFields(): LogFields;
  end(): void;
};

/** Headers of W3C, if there are any: the span that this one is below, or that it is only connected with. */
export type Origin = { parent?: string | null | undefined; link?: string | null | undefined };

export type Tracer = {
  /** Without an origin it is below the present span, or there is none. */
  open(name: SpanName, attributes: SpanAttributes, origin?: Origin): OpenSpan | undefined;
  /** Of the present span. */
  traceparent(): string | undefined;
  logFields(): LogFields | undefined;
  close(): Promise<void>;
};
