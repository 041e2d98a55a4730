import { text } from './text.ts';

const openable = new Set(['http:', 'https:', 'data:']);

/** An address a browser of ours may open. What the network guard thinks of it is another question. */
export const WebUrl = text(8192, 1).refine(
  (value) => value === 'about:blank' || openable.has(URL.parse(value)?.protocol ?? ''),
  'must be an absolute http, https or data address, or about:blank',
);
