// Says in words whether the view is live.

import type { BrowserState, Frame } from '@pilothouse/contract';
import type { ConnectionState } from '@pilothouse/sdk';

export type Connection = ConnectionState | 'connecting' | 'refused';

export function describeConnection(
  state: Connection,
  frame: Frame | undefined,
  browser: BrowserState | undefined,
): string {
  const shown = frame ? `, showing the frame of ${describeAge(frame.recorded_at)}` : '';
  if (state === 'refused') return `not live${shown}`;
  if (state !== 'connected') return `${state}${shown}`;
  return browser === 'cold' ? 'live, the browser rests' : 'live';
}

function describeAge(recordedAt: string): string {
  const secs = Math.max(0, Math.round((Date.now() - Date.parse(recordedAt)) / 1000));
  if (secs < 120) return `${secs} s ago`;
  if (secs < 7200) return `${Math.round(secs / 60)} min ago`;
  return new Date(recordedAt).toLocaleString();
}
