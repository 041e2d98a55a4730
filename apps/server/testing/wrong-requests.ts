// Generated requests that are aimed at no route: whole ones with wrong parts, and bytes that are hardly a request.

import { bodyLimits, type Route, routes } from '@pilothouse/contract';
import fc from 'fast-check';
import { brokenJson, cleanPath, contentType, oddJson, oddNumber, oddText } from './odd-values.ts';
import { crlf, latin1, requestText } from './request-text.ts';

const allRoutes = Object.values<Route>(routes);

const path = fc.oneof(
  fc
    .tuple(fc.constantFrom(...allRoutes), oddText)
    .map(([route, id]) => route.path.replace(/:\w+/g, () => cleanPath(id))),
  fc.constantFrom(
    '//',
    '/api//sessions',
    '/api/../etc/passwd',
    '/%',
    '/%2',
    '/api/sessions/%E0%A4%A',
    '/docs/../..',
    '*',
    'http://elsewhere.test/api/health',
    `/${'a'.repeat(9000)}`,
    '/api/sessions/'.padEnd(500, 'x'),
    '/API/HEALTH',
    '/api/health/',
  ),
  oddText.map((text) => `/${cleanPath(text)}`),
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .tuple(fc.constantFrom('limit', 'cursor', 'status', 'purge', 'x'), fc.oneof(oddNumber, oddText.map(cleanPath)))
    .map(([key, value]) => `?${key}=${value}`),
  fc.constantFrom('?limit=1&limit=2', '?limit[]=1', '?cursor=%00', '?&&&=', '??', '?__proto__=1'),
);
const method = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('GET', 'POST', 'DELETE') },
  fc.constantFrom('PUT', 'PATCH', 'OPTIONS', 'TRACE', 'HEAD', 'PROPFIND', 'CONNECT', 'BREW', 'get'),
);
const body = fc.oneof(
  { weight: 5, arbitrary: oddJson },
  { weight: 3, arbitrary: brokenJson },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...Object.values(bodyLimits)).map((limit) => `{"title":"${'x'.repeat(limit)}"}`),
  },
  { weight: 1, arbitrary: fc.constant('') },
);

/** Whole requests whose parts are wrong. */
export const wrongRequest = fc
  .record({
    method,
    path,
    query,
    contentType,
    body,
    extra: fc.constantFrom(
      '',
      'Expect: 100-continue\r\n',
      'Expect: miracles\r\n',
      'Authorization: Bearer \r\n',
      'Upgrade: websocket\r\nConnection: Upgrade\r\n',
    ),
  })
  .map(({ body, ...parts }) => requestText({ ...parts, body: latin1(Buffer.from(body, 'latin1')) }));

/** Bytes that are hardly a request at all. */
export const wrongBytes = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => latin1(Buffer.from(bytes))),
  fc.constantFrom(
    `GET /api/health HTTP/1.1${crlf}Host: a${crlf}X: a\rb${crlf}${crlf}`,
    `GET /api/health HTTP/1.1${crlf}Host: a${crlf}X y: z${crlf}${crlf}`,
    `GET /api/health\r\nX: injected HTTP/1.1${crlf}${crlf}`,
    `GET /api/health HTTP/9.9${crlf}Host: a${crlf}${crlf}`,
    `GET  /api/health HTTP/1.1${crlf}${crlf}`,
    `GET /api/health HTTP/1.1${crlf}Host: a${crlf}Content-Length: -1${crlf}${crlf}`,
    `GET /api/nope HTTP/1.1${crlf}Connection: close${crlf}${crlf}`,
    `POST /api/sessions HTTP/1.1${crlf}Host: a${crlf}Content-Length: 5${crlf}Transfer-Encoding: chunked${crlf}${crlf}0${crlf}${crlf}`,
    `POST /api/sessions HTTP/1.1${crlf}Host: a${crlf}Content-Type: application/json${crlf}Transfer-Encoding: chunked${crlf}${crlf}zz${crlf}{}${crlf}`,
    `POST /api/sessions HTTP/1.1${crlf}Host: a${crlf}Content-Type: application/json${crlf}Content-Length: 50${crlf}${crlf}{"title":`,
    `GET /api/nope HTTP/1.1${crlf}Host: a${crlf}Cookie: ${'c'.repeat(40_000)}${crlf}${crlf}`,
    `PRI * HTTP/2.0${crlf}${crlf}SM${crlf}${crlf}`,
    `GET /api/nope HTTP/1.1${crlf}Host: a${crlf}${crlf}\0\0\0 garbage behind it`,
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ),
);
