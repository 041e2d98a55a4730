// What a client needs of a route to call it: no schemas, so that a browser does not load them.

import type { Route } from '../types/route.ts';

export type WireRoute = Pick<Route, 'method' | 'path' | 'access'> & {
  /** Names of the fields that go into the query. */
  query?: readonly string[];
  /** Headers that every call sends, with their only value. */
  headers?: Readonly<Record<string, string>>;
  hasBody?: true;
  /** The reply may be bytes: a picture or a file. */
  hasBytes?: true;
  /** The kinds of events of a stream. */
  stream?: StreamKind;
};
export type StreamKind = 'live' | 'task' | 'inbox' | 'bundle';
