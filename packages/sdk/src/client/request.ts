// Lays the input of a call out over path, query and body.

import type { BodyIn, EventOf, ParamsIn, QueryIn, ReplyOf, Route } from '@pilothouse/contract';
import type { WireRoute } from '@pilothouse/contract/wire';

/** The input of a call in one object: the ids of the path, the filters of the query, the fields of the body. */
export type CallInput<R extends Route> = ParamsIn<R> & QueryIn<R> & Exclude<BodyIn<R>, undefined>;

/**
 * JSON as the contract types it; the events of a stream; for a picture or a file, the response itself (with status 304 where
 * the caller sent its `etag` as `if-none-match`).
 */
export type CallResult<R extends Route> = R extends { stream: unknown }
  ? AsyncIterable<EventOf<R>>
  : R extends { bytes: unknown }
    ? Response
    : ReplyOf<R>;

type Values = Record<string, unknown>;

export function layOut(route: WireRoute, input: Values): { path: string; body: string | undefined } {
  const inPath = new Set<string>();
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    inPath.add(name);
    return encodeURIComponent(String(input[name]));
  });
  const query = new URLSearchParams();
  const body: Values = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || inPath.has(name)) continue;
    if (route.query?.includes(name)) for (const one of [value].flat()) query.append(name, String(one));
    else body[name] = value;
  }
  return { path: query.size > 0 ? `${path}?${query}` : path, body: route.hasBody ? JSON.stringify(body) : undefined };
}
