// Generated malformed requests that are aimed at a route: one part is wrong, and everything else is right.

import { bodyLimits, type Route, type RouteName } from '@pilothouse/contract';
import fc from 'fast-check';
import {
  brokenJson,
  contentType,
  encodeURIComponentSafely,
  isJson,
  oddJson,
  oddNumber,
  oddText,
} from './odd-values.ts';
import { type RouteWithBody, samples, unknownId } from './request-samples.ts';
import { crlf, latin1, requestText } from './request-text.ts';

/** Bytes to send, as Latin-1 text so that a failure can be read, and the route they are aimed at, if any. */
export type MalformedRequest = { text: string; halfClose: boolean; aim?: string };
export type ServedRoute = { name: RouteName; route: Route };
export const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** Stands for a value that is left out. */
const missing = Symbol('missing');
/** Marks numbers that JavaScript cannot hold: they are text until their quotes are removed from the JSON. */
const numberMark = 'number:';
const brokenValue = fc.oneof(
  fc.constantFrom<unknown>(missing, null, true, 0, -1, 0.5, 2 ** 31, 2 ** 53, '', '\0', 'a\0b', '\ud800', [], {}, [[]]),
  fc.constantFrom('x'.repeat(201), 'x'.repeat(8001), 'x'.repeat(21_000), 'ä'.repeat(300)),
  oddNumber.filter((text) => isJson(text)).map((text) => numberMark + text),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The sample with one of its fields, however deep, replaced or left out. */
const brokenSample = (sample: object) =>
  fc
    .tuple(fc.constantFrom(...pathsIn(sample)), brokenValue)
    .map(([path, value]) => JSON.stringify(replaced(sample, path, value)) ?? '')
    .map((text) => text.replace(new RegExp(`"${numberMark}([^"]*)"`, 'g'), '$1'));

/** At the limit of the route, and one byte over it. */
const sizedBody = (route: Route, sample: object) =>
  fc.tuple(fc.constantFrom(0, 1), fc.boolean()).map(([over, isSpace]) => {
    const size = (route.bodyLimitBytes ?? bodyLimits.other) + over;
    return isSpace ? JSON.stringify(sample).padEnd(size) : `{"title":"${'x'.repeat(size - 12)}"}`;
  });

const aimedBody = ({ name, route }: ServedRoute) => {
  if (!route.body) return fc.constantFrom('', '', '{}', 'x');
  // The samples have an entry for every route with a body.
  const sample = samples[name as RouteWithBody];
  return fc.oneof(
    { weight: 12, arbitrary: brokenSample(sample) },
    { weight: 2, arbitrary: oddJson },
    { weight: 1, arbitrary: brokenJson },
    { weight: 2, arbitrary: sizedBody(route, sample) },
  );
};

/** A path to the route, with ids that name something, that could, and that are malformed. */
const aimedPath = ({ method, path }: Route, ids: Record<string, string>) => {
  const real = ids[path.split('/')[2] ?? ''] ?? unknownId;
  const id = fc.oneof(
    // A DELETE would remove things that later requests need.
    { weight: 3, arbitrary: fc.constant(method === 'DELETE' ? unknownId : real) },
    fc.constantFrom(unknownId, real.toUpperCase(), `${real}0`, '0'),
    oddText.map((text) => encodeURIComponentSafely(text)).filter((text) => text !== '' && !/^\.+$/.test(text)),
  );
  const count = path.match(/:\w+/g)?.length ?? 0;
  return fc.array(id, { minLength: count, maxLength: count }).map((given) => {
    const left = [...given];
    return path.replace(/:\w+/g, () => left.shift() ?? '');
  });
};

const aimedQuery = ({ query }: Route) => {
  const known = Object.keys(query?.shape ?? {});
  if (known.length === 0) return fc.constantFrom('', '', '?x=1');
  const value = fc.oneof(
    oddNumber,
    oddText.map(encodeURIComponentSafely),
    fc.constantFrom('%00', '%ed%a0%80', '%ff', 'x'.repeat(513), 'eyJhIjoxfQ', unknownId, '1', 'true'),
  );
  return fc.oneof(
    fc.constant(''),
    fc.tuple(fc.constantFrom(...known), value).map(([key, given]) => `?${key}=${given}`),
    fc.tuple(fc.constantFrom(...known), value, value).map(([key, one, two]) => `?${key}=${one}&${key}=${two}`),
  );
};

/** One more header, with a known name and an odd value, which may even contain line ends. */
const aimedHeader = ({ headers }: Route) => {
  const names = ['authorization', 'accept', 'cookie', 'origin', 'content-encoding', 'if-none-match', 'x-forwarded-for'];
  const value = fc.oneof(
    fc.string({ unit: 'binary-ascii', maxLength: 30 }),
    fc.constantFrom('', 'ÿþ', 'Ã¤', 'a\r\nX-Injected: 1', 'a\rb', 'a\nb', '\0', '9'.repeat(600), 'Bearer x', unknownId),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...Object.keys(headers?.shape ?? {}), ...names), value)
        .map(([name, given]) => `${name}: ${given}${crlf}`),
    },
  );
};

/** Requests that a served route has to refuse, or to handle. */
export function aimedRequest(served: ServedRoute[], ids: Record<string, string>): fc.Arbitrary<MalformedRequest> {
  const aimAt = ({ name, route }: ServedRoute) =>
    fc
      .record({
        method: fc.constant(route.method),
        path: aimedPath(route, ids),
        query: aimedQuery(route),
        extra: aimedHeader(route),
        contentType: fc.oneof({ weight: 5, arbitrary: fc.constant('application/json') }, contentType),
        body: aimedBody({ name, route }).map((text) => latin1(Buffer.from(text))),
      })
      .map((parts) => ({ text: requestText(parts), halfClose: false, aim: nameOf(route) }));
  // A route with a body has more to break.
  return fc.oneof(...served.map((one) => ({ weight: one.route.body ? 3 : 1, arbitrary: aimAt(one) })));
}

type ValuePath = (string | number)[];

/** The path to every value in it, and to the whole. */
function pathsIn(value: unknown): ValuePath[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inside = Object.entries(value).flatMap(([key, part]) => pathsIn(part).map((path) => [key, ...path]));
  return [[], ...inside];
}

function replaced(whole: unknown, [key, ...rest]: ValuePath, value: unknown): unknown {
  if (key === undefined) return value === missing ? undefined : value;
  // A path leads only through objects and arrays, and a copy of either has the key.
  const copy = structuredClone(whole) as Record<string | number, unknown>;
  copy[key] = replaced(copy[key], rest, value);
  return copy;
}
