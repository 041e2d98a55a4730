import assert from 'node:assert/strict';
import {
  type BodyIn,
  bodyLimits,
  errors,
  isId,
  Problem,
  type Route,
  type RouteName,
  routes,
} from '@pilothouse/contract';
import fc from 'fast-check';
import { sendRaw } from './raw-http.ts';

export type MalformedResult = {
  /** How many answers of each kind were met. */
  answers: Record<string, number>;
  /** For each route that is served, how many requests aimed at it got which status. */
  aimed: Record<string, Record<number, number>>;
  /** Requests that got no answer at all. */
  unanswered: string[];
};

/** Bytes to send, as Latin-1 text so that a failure can be read, and the route they are aimed at, if any. */
type Sent = { text: string; halfClose: boolean; aim?: string };

/**
 * Sends generated malformed requests, more than half of them aimed at the routes that are served. Throws, with the seed
 * and the request, at the first answer that is a 5xx or a refusal that is no problem with a code of the contract.
 */
export async function sendMalformed(
  port: number,
  { count, seed }: { count: number; seed: number },
): Promise<MalformedResult> {
  const answers: Record<string, number> = {};
  const served = await servedRoutes(port);
  const aimed: MalformedResult['aimed'] = Object.fromEntries(served.map(({ route }) => [nameOf(route), {}]));
  const unanswered: string[] = [];
  const send = async ({ text, halfClose, aim }: Sent) => {
    const received = await sendRaw(port, Buffer.from(text, 'latin1'), { halfClose });
    // Empty lines before a request are to be ignored, so nothing but those is no request.
    if (received.length === 0 && /[^\r\n]/.test(text)) unanswered.push(text.slice(0, 300));
    for (const { status, headers, body } of received) {
      assert.ok(status < 500, `answered ${status}: ${body}`);
      const code = status < 400 ? '' : ` ${checkProblem(status, headers, body, text.startsWith('HEAD '))}`;
      increase(answers, `${status}${code}`);
      if (aim) increase(aimed[aim] ?? {}, status);
    }
  };
  const request = fc.oneof(
    { weight: 6, arbitrary: aimedRequest(served, await realIds(port)) },
    { weight: 3, arbitrary: fc.record({ text: wrongRequest, halfClose: fc.constant(false) }) },
    { weight: 1, arbitrary: fc.record({ text: wrongBytes, halfClose: fc.constant(true) }) },
  );
  await fc.assert(fc.asyncProperty(request, send), { numRuns: count, endOnFailure: true, seed });
  return { answers: Object.fromEntries(Object.entries(answers).sort()), aimed, unanswered };
}

function increase(counts: Record<string, number>, key: string | number): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

type Served = { name: RouteName; route: Route };
const nameOf = ({ method, path }: Route) => `${method} ${path}`;

/** The server itself says which promises of the contract it keeps. */
async function servedRoutes(port: number): Promise<Served[]> {
  const document = await callJson<{ paths: Record<string, object> }>(port, '/api/openapi.json');
  return Object.entries<Route>(routes)
    .filter(([, { method, path }]) => {
      const item = document.paths[path.replace(/:(\w+)/g, '{$1}')];
      return item && method.toLowerCase() in item;
    })
    .map(([name, route]) => ({ name: name as RouteName, route }));
}

/** Ids that name something, so that requests get past the question whether they do. */
async function realIds(port: number): Promise<Record<'sessions' | 'tasks', string>> {
  const { prompt, steps } = samples.sendChat;
  const body = JSON.stringify({ prompt, steps });
  const { session_id, task_id } = await callJson<{ session_id: string; task_id: string }>(port, '/api/chat', body);
  assert.ok(isId(session_id) && isId(task_id), 'a whole request is accepted');
  return { sessions: session_id, tasks: task_id };
}

async function callJson<T>(port: number, path: string, body?: string): Promise<T> {
  const init = body ? { method: 'POST', body, headers: { 'content-type': 'application/json' } } : {};
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, signal: AbortSignal.timeout(10_000) });
  // The caller names what the contract promises there.
  return (await answer.json()) as T;
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
      fc.oneof(fc.jsonValue(), fc.string(), fc.uuid(), fc.constant({ width: 0 })),
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
  .map(({ body, ...parts }) => requestText({ ...parts, body: latin1(Buffer.from(body, 'latin1')) }));

/** Bytes that are hardly a request at all. */
const wrongBytes = fc.oneof(
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

const unknownId = '01890a5d-ac96-774b-bcce-b302099a8057';

/** A whole body for each route that takes one: what is broken in it is then the only thing wrong. */
const samples: { [Name in WithBody]: NonNullable<BodyIn<(typeof routes)[Name]>> } = {
  register: { username: 'ann', email: 'ann@example.test', password: 'correct horse' },
  login: { username_or_email: 'ann', password: 'correct horse' },
  refresh: { refresh_token: 'token' },
  logout: { refresh_token: 'token' },
  changePassword: { current_password: 'correct horse', new_password: 'battery staple' },
  logoutAll: {},
  createKey: { label: 'a key', expires_in_secs: 600 },
  sendChat: {
    prompt: 'Read the heading',
    planner: 'auto',
    steps: [
      { action: 'navigate', url: 'about:blank', title: 'Open the page' },
      { action: 'type', target: { role: 'textbox', name: 'Search' }, text: 'words' },
      { action: 'scroll', delta_y: 200 },
      { action: 'wait', for: { secs: 0.1 }, timeout_secs: 2 },
      { action: 'extract', kind: 'text', target: { css: 'h1' }, as: 'heading' },
    ],
    constraints: ['be quick'],
    allowed_domains: ['*.example.test'],
    output_schema: { type: 'object' },
    max_steps: 5,
    time_limit_secs: 60,
    execute: true,
  },
  createSession: { title: 'A session', profile_label: 'work', viewport: { width: 1280, height: 720 }, record: true },
  shareSession: { expires_in_secs: 600 },
  movePointer: { actions: [{ action: 'click', x: 1, y: 2, button: 'left', modifiers: ['Alt'], input_seq: 1 }] },
  requestSessionTakeover: { requested_by: 'ann', reason: 'to log in', expires_in_secs: 60 },
  resumeSessionTakeover: { resume_token: 'token', note: 'done' },
  createProfile: { label: 'work', session_id: unknownId },
  requestTakeover: { requested_by: 'ann', reason: 'to log in', expires_in_secs: 60 },
  resumeTakeover: { resume_token: 'token', note: 'done' },
  signalTakeover: { message: 'I will', answer: 'blue', asked_at: '2026-01-01T00:00:00.000Z' },
  cancelTask: { reason: 'no longer needed' },
};
type WithBody = { [Name in RouteName]: (typeof routes)[Name] extends { body: unknown } ? Name : never }[RouteName];

/** Stands for a value that is left out. */
const missing = Symbol('missing');
/** Numbers that JSON can write and JavaScript cannot hold travel as text, and lose its quotes in the end. */
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
    .tuple(fc.constantFrom(...placesIn(sample)), brokenValue)
    .map(([place, value]) => JSON.stringify(replaced(sample, place, value)) ?? '')
    .map((text) => text.replace(new RegExp(`"${numberMark}([^"]*)"`, 'g'), '$1'));

/** At the limit of the route, and one byte over it. */
const sizedBody = (route: Route, sample: object) =>
  fc.tuple(fc.constantFrom(0, 1), fc.boolean()).map(([over, isSpace]) => {
    const size = (route.bodyLimitBytes ?? bodyLimits.other) + over;
    return isSpace ? JSON.stringify(sample).padEnd(size) : `{"title":"${'x'.repeat(size - 12)}"}`;
  });

const aimedBody = ({ name, route }: Served) => {
  if (!route.body) return fc.constantFrom('', '', '{}', 'x');
  // The table above has an entry for every route with a body.
  const sample = samples[name as WithBody];
  return fc.oneof(
    { weight: 12, arbitrary: brokenSample(sample) },
    { weight: 2, arbitrary: oddJson },
    { weight: 1, arbitrary: brokenJson },
    { weight: 2, arbitrary: sizedBody(route, sample) },
  );
};

/** A path to the route: with ids that name something, that could, and that never will. */
const aimedPath = ({ method, path }: Route, ids: Record<string, string>) => {
  const real = ids[path.split('/')[2] ?? ''] ?? unknownId;
  const id = fc.oneof(
    // Whatever removes things would take them from the requests that follow.
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

/** One header more, of a name that means something and a value that need not even stay on its line. */
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

/** Requests that a route which is served has to refuse, or to bear. */
function aimedRequest(served: Served[], ids: Record<string, string>): fc.Arbitrary<Sent> {
  const aimAt = ({ name, route }: Served) =>
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
  // Where a body is read there is more to break.
  return fc.oneof(...served.map((one) => ({ weight: one.route.body ? 3 : 1, arbitrary: aimAt(one) })));
}

type Parts = { method: string; path: string; query: string; extra: string; contentType: string; body: string };

/** What names the length comes last: a header that ends the headers early then leaves no body to wait for. */
function requestText({ method, path, query, extra, contentType, body }: Parts): string {
  return (
    `${method} ${path}${query} HTTP/1.1${crlf}Host: 127.0.0.1${crlf}Connection: close${crlf}${extra}` +
    `Content-Type: ${contentType}${crlf}Content-Length: ${body.length}${crlf}${crlf}${body}`
  );
}

/** One character a byte. */
const latin1 = (bytes: Buffer) => bytes.toString('latin1');

type Place = (string | number)[];

/** The way to every value in it, and to the whole. */
function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inside = Object.entries(value).flatMap(([key, part]) => placesIn(part).map((place) => [key, ...place]));
  return [[], ...inside];
}

function replaced(whole: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value === missing ? undefined : value;
  // A place leads only through objects and arrays; a copy of either has the key.
  const copy = structuredClone(whole) as Record<string | number, unknown>;
  copy[key] = replaced(copy[key], rest, value);
  return copy;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** White space and line ends would make it a different request, not an odd path. */
function cleanPath(text: string): string {
  return text.replace(/[\s\0]/g, '_');
}
