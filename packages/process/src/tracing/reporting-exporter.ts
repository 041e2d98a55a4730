// Says in the log when spans can no longer be sent, and when they can again: once each, because a receiver that is away is away for
// every batch.

import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { TracerSettings } from './tracer.ts';

/** The first code of the API's own: 0 is success, 1 is failure. */
const success = 0;

export function reportingExporter(exporter: SpanExporter, log: TracerSettings['log']): SpanExporter {
  let isAway = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const isSent = result.code === success;
        // The message may quote the answer of the receiver, so only the kind of the error is logged.
        if (!isSent && !isAway) log.warn({ error: result.error?.name, spans: spans.length }, 'traces cannot be sent');
        if (isSent && isAway) log.info('traces are sent again');
        isAway = !isSent;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
