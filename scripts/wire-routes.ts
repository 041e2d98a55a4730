// Makes the table of routes that clients load from the table of the contract, which has schemas. Part of `npm run generate`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BundledEvent, InboxEvent, LiveEvent, type Route, routes, TaskEvent } from '@pilothouse/contract';
import type { StreamKind, WireRoute } from '@pilothouse/contract/wire';
import { root } from '../testkit/stack/folders.ts';

const path = join(root, 'packages/contract/src/wire/routes.generated.ts');

const streamKinds = new Map<unknown, StreamKind>([
  [LiveEvent, 'live'],
  [TaskEvent, 'task'],
  [InboxEvent, 'inbox'],
  [BundledEvent, 'bundle'],
]);

export function writeWireRoutes(): void {
  writeFileSync(path, textOf());
}

export const areWireRoutesCurrent = (): boolean => readFileSync(path, 'utf8') === textOf();

function textOf(): string {
  const rows = Object.entries<Route>(routes).map(
    ([name, route]) => `  ${name}: ${JSON.stringify(wireRouteOf(route))},`,
  );
  return [
    '// Written by `npm run generate` from the table of routes.',
    '',
    "import type { RouteName } from '../routes/routes.ts';",
    "import type { WireRoute } from './wire-route.ts';",
    '',
    'export const wireRoutes: Readonly<Record<RouteName, WireRoute>> = {',
    ...rows,
    '};',
    '',
  ].join('\n');
}

function wireRouteOf({ method, path: address, access, query, headers, body, bytes, stream }: Route): WireRoute {
  const kind = streamKinds.get(stream);
  const fixed = fixedHeadersOf(headers);
  if (stream && !kind) throw new Error(`${address} streams events that have no kind`);
  return {
    method,
    path: address,
    access,
    ...(query && { query: Object.keys(query.shape) }),
    ...(fixed && { headers: fixed }),
    ...(body && { hasBody: true }),
    ...(bytes && { hasBytes: true }),
    ...(kind && { stream: kind }),
  };
}

/** Headers that have one possible value; undefined if there are none. */
function fixedHeadersOf(headers: Route['headers']): Record<string, string> | undefined {
  const fixed = Object.entries(headers?.shape ?? {}).flatMap(([name, value]) => {
    const { type, values = [] } = value._zod.def as { type: string; values?: unknown[] };
    return type === 'literal' ? [[name, String(values[0])]] : [];
  });
  return fixed.length > 0 ? Object.fromEntries(fixed) : undefined;
}
