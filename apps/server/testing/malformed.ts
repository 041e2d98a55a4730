import assert from 'node:assert/strict';
import { bodyLimits, errors, Problem, type Route, routes } from '@pilothouse/contract';
import fc from 'fast-check';
import { sendRaw } from './raw-http.ts';

export type MalformedResult = {
  /** How many answers of each kind were met. */
  answers: Record<string, number>;
  /** Requests that got no answer at all. */
  unanswered: string[];
};

/**
 * Sends generated malformed requests. Throws, with the seed and the request, at the first answer that is a 5xx or a
 * refusal that is no problem with a code of the contract.
 */
export async function sendMalformed(
  port: number,
  { count, seed }: { count: number; seed: number },
): Promise<MalformedResult> {
  const answers = new Map<string, number>();
  const unanswered: string[] = [];
  const send = async ({ bytes, isAll }: { bytes: Buffer; isAll: boolean }) => {
    const received = await sendRaw(port, bytes, { isAll });
    const text = bytes.toString('latin1');
    // Empty lines before a request are to be ignored, so nothing but those is no request.
    if (received.length === 0 && /[^\r\n]/.test(text)) unanswered.push(text.slice(0, 300));
    for (const { status, headers, body } of received) {
      assert.ok(status < 500, `answered ${status}: ${body}`);
      const isHead = bytes.subarray(0, 5).toString() === 'HEAD ';
      const code = status < 400 ? '' : ` ${checkProblem(status, headers, body, isHead)}`;
      answers.set(`${status}${code}`, (answers.get(`${status}${code}`) ?? 0) + 1);
    }
  };
  await fc.assert(fc.asyncProperty(request, send), { numRuns: count, endOnFailure: true, seed });
  return { answers: Object.fromEntries([...answers].sort()), unanswered };
}

function checkProblem(status: number, headers: Map<string, string>, body: string, isHead: boolean): string {
  assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
  if (isHead && body === '') return 'without a body';
  const problem = Problem.parse(JSON.parse(Buffer.from(body, 'latin1').toString()));
  assert.equal(problem.status, status);
  // Below HTTP the status may say more than the code.
  if (status !== 408 && status !== 431) assert.equal(errors[problem.code].status, status);
  return problem.code;
}

const allRoutes = Object.values<Route>(routes);
const crlf = '\r\n';

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '%',
    '%zz',
    '%00',
    '%2e%2e',
    '..',
    '\0',
    'ÿ',
    '\u202e',
    "'",
    '"',
    '{{',
    '-1',
    '1e999',
    'NaN',
    'null',
    '[object Object]',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map(encodeURIComponentSafely),
);
const oddNumber = fc.constantFrom(
  '1e999',
  '-1e999',
  '99999999999999999999999',
  '-0',
  '0.1',
  '9007199254740993',
  '1e-400',
  '00',
  '.5',
  '0x10',
);

/** A value that is JSON, but hardly the one that was asked for. */
const oddJson = fc.oneof(
  fc.json({ maxDepth: 4 }),
  oddNumber,
  fc.constant('['.repeat(5000) + ']'.repeat(5000)),
  fc.constantFrom(
    'null',
    '[]',
    '""',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    '{"title":"\\u0000"}',
    '{"title":"\\ud800"}',
  ),
  fc
    .dictionary(
      fc.constantFrom(
        'title',
        'profile_id',
        'profile_label',
        'viewport',
        'prompt',
        'steps',
        'session_id',
        'username',
        'password',
      ),
      // Also values of the right type that name nothing.
      fc.oneof(
        fc.jsonValue(),
        fc.string(),
        fc.uuid(),
        fc.constant('{"width":0}').map((text) => JSON.parse(text)),
      ),
    )
    .map((value) => JSON.stringify(value)),
);
const brokenJson = fc.tuple(fc.json(), fc.nat(30)).map(([text, cut]) => `{"title":${text.slice(0, cut)}`);
const contentType = fc.oneof(
  { weight: 3, arbitrary: fc.constant('application/json') },
  fc.constantFrom(
    'text/plain',
    'application/xml',
    'application/json; charset=utf-16',
    'application/jsonx',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    '*/*',
    ';;;',
    '',
  ),
);
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
const wrongRequest = fc
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
  .map(({ method, path, query, contentType, body, extra }) =>
    Buffer.from(
      `${method} ${path}${query} HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Connection: close${crlf}${extra}` +
        `Content-Type: ${contentType}${crlf}Content-Length: ${Buffer.byteLength(body, 'latin1')}${crlf}${crlf}${body}`,
      'latin1',
    ),
  );

/** Bytes that are hardly a request at all. */
const wrongBytes = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom(
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
    )
    .map((text) => Buffer.from(text, 'latin1')),
);

const request = fc.oneof(
  { weight: 4, arbitrary: fc.record({ bytes: wrongRequest, isAll: fc.constant(false) }) },
  { weight: 1, arbitrary: fc.record({ bytes: wrongBytes, isAll: fc.constant(true) }) },
);

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** White space and line ends would make it a different request, not an odd path. */
function cleanPath(text: string): string {
  return text.replace(/[\s\0]/g, '_');
}
