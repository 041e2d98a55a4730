// What every process needs: settings, log, metrics, start, stop, and rest.

export { cached, createFigures, type Figures } from './cached.ts';
export { refusePooler, warnOfSuperuser } from './database-checks.ts';
export { createIdleMemory } from './idle-memory.ts';
export { createLog, type Log } from './log.ts';
export { exposeFigures, exposeRoundTrips, type Ops, startOps } from './ops.ts';
export { type Closable, run } from './run.ts';
export { secretSettings } from './secrets.ts';
export {
  addressOf,
  amount,
  blobPlaceOf,
  blobSettings,
  busOf,
  busSettings,
  flag,
  hostList,
  keys,
  logLevel,
  openOrRefuse,
  placeNamed,
  policyMode,
  policyOf,
  port,
  readSettings,
  SettingsError,
  tracingOf,
  tracingSettings,
  wholeNumber,
} from './settings.ts';
export type { SpanAttributes, SpanName } from './tracing/spans.ts';
export type { OpenSpan } from './tracing/tracer.ts';
export { busTracing, openSpan, span, startTracing, traceparent } from './tracing/tracing.ts';
