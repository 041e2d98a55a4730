// Traces of what this process does, for those who want them: off, nothing is loaded, and each call here is one comparison. Like the
// log, this belongs to the process and not to a part of it, so there is one.

import type { SpanAttributes, SpanName } from './spans.ts';
import type { LogFields, OpenSpan, Origin, Tracer, TracerSettings } from './tracer.ts';

let tracer: Tracer | undefined;

const noSpan: Pick<OpenSpan, 'note' | 'fail'> = { note: () => {}, fail: () => {} };

type Destination = Pick<TracerSettings, 'url' | 'headers' | 'ratio'>;

/** Returns what ends it: sends what is left, for a short time, and turns it off. Without a destination it stays off. */
export async function startTracing(
  destination: Destination | undefined,
  process: Omit<TracerSettings, keyof Destination>,
): Promise<{ close(): Promise<void> }> {
  if (!destination) return { close: async () => {} };
  const { openTracer } = await import('./open-tracer.ts');
  const opened = openTracer({ ...destination, ...process });
  tracer = opened;
  return {
    async close() {
      if (tracer === opened) tracer = undefined;
      await opened.close();
    },
  };
}

/** Begins a span that something else ends. Call `within` for what is below it. */
export const openSpan = (name: SpanName, attributes: SpanAttributes, origin: Origin): OpenSpan | undefined =>
  tracer?.open(name, attributes, origin);

/**
 * The work, as a span below the present one. Where nothing is traced it is only done. With an origin it is traced in any case: it is
 * the first thing that this process does for its cause.
 */
export function span<T>(
  name: SpanName,
  attributes: SpanAttributes,
  work: (span: Pick<OpenSpan, 'note' | 'fail'>) => Promise<T>,
  origin?: Origin,
): Promise<T> {
  const opened = tracer?.open(name, attributes, origin);
  return opened ? during(opened, work) : work(noSpan);
}

async function during<T>(opened: OpenSpan, work: (span: Pick<OpenSpan, 'note' | 'fail'>) => Promise<T>): Promise<T> {
  let hasFailed = false;
  const fail = (kind: string) => {
    hasFailed = true;
    opened.fail(kind);
  };
  try {
    return await opened.within(() => work({ note: opened.note, fail }));
  } catch (error) {
    if (!hasFailed) opened.fail(error instanceof Error ? error.name : 'unknown');
    throw error;
  } finally {
    opened.end();
  }
}

/** The header that puts what it causes below the present span. */
export const traceparent = (): string | undefined => tracer?.traceparent();

/** What a line of the log says of the present span. */
export const traceLogFields = (): LogFields | undefined => tracer?.logFields();

/**
 * How requests over the bus are followed; undefined while nothing is traced. Ask after `startTracing`. `answers`: what others ask is
 * followed, too. Only hosts do that, whose commands come from servers and agents: a host must not write into traces of others.
 */
export const busTracing = ({ answers = false } = {}) =>
  tracer ? { asked, answered: answers ? answered : undefined } : undefined;

type Asked = { name: string; command: string | undefined };
type Answer = { ok: boolean; reason?: string };

function asked<T extends Answer>(
  { name, command }: Asked,
  send: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  const message = name.replaceAll(' ', '_');
  return span('bus.request', { message, command }, async ({ note, fail }) => {
    const answer = await send(traceparent());
    note({ outcome: answer.ok ? 'ok' : answer.reason });
    if (!answer.ok) fail(answer.reason ?? 'unknown');
    return answer;
  });
}

/** Only what was asked under a span becomes one: otherwise every heartbeat and every look would. */
function answered<T>({ name, command }: Asked, parent: string | undefined, work: () => Promise<T>): Promise<T> {
  if (parent === undefined) return work();
  const message = name.replaceAll(' ', '_');
  return span('host.command', { message, command }, work, { parent });
}
