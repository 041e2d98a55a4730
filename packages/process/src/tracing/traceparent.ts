// The header of W3C Trace Context that names a trace and the span of it that something was caused by.

export type SpanAddress = { traceId: string; spanId: string; isSampled: boolean };

/** A later version may have more behind the flags; its first four parts are read as those of version 00. */
const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const maxLength = 200;

/** Undefined where it is missing or not well formed: then a trace begins here. */
export function parseTraceparent(header: unknown): SpanAddress | undefined {
  if (typeof header !== 'string' || header.length > maxLength) return undefined;
  const [, version, traceId, spanId, flags = '', rest] = form.exec(header) ?? [];
  if (!traceId || !spanId || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: SpanAddress): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
