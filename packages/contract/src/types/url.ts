// Addresses of web pages.

import { text } from './text.ts';

const openable = new Set(['http:', 'https:', 'data:']);

/** An address that a browser can open. The network guard may still refuse it. */
export const WebUrl = text(8192, 1).refine(
  (value) => value === 'about:blank' || openable.has(URL.parse(value)?.protocol ?? ''),
  'must be an absolute http, https or data address, or about:blank',
);
