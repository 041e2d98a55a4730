import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { errors } from '../types/error-codes.ts';
import { bodyLimits, noContent, type Route } from '../types/route.ts';
import { routes } from './routes.ts';

const all: [string, Route][] = Object.entries(routes);
const sorted = (values: Iterable<string>) => [...values].sort();

const frozen = [
  'POST /api/auth/register',
  'POST /api/auth/login',
  'POST /api/auth/refresh',
  'GET /api/auth/me',
  'POST /api/auth/logout',
  'POST /api/auth/change-password',
  'POST /api/auth/logout-all',
  'POST /api/chat',
  'GET /api/sessions',
  'POST /api/sessions',
  'GET /api/sessions/:id',
  'GET /api/sessions/:id/live',
  'POST /api/sessions/:id/share',
  'DELETE /api/sessions/:id/share',
  'POST /api/sessions/:id/pointer',
  'GET /api/tasks/:id/status',
  'GET /api/tasks/:id/observations',
  'GET /api/tasks/:id',
  'GET /api/tasks/:id/logs',
  'GET /api/tasks/:id/events',
  'GET /api/tasks/:id/stream',
  'GET /api/tasks/:id/message_state',
  'GET /api/tasks/:id/executions',
  'POST /api/tasks/:id/manual_takeover',
  'POST /api/tasks/:id/manual_takeover/resume',
  'GET /api/tasks/:id/screenshot',
  'POST /api/tasks/:id/user_takeover',
  'POST /api/tasks/:id/cancel',
];

const beyond = [
  'POST /api/auth/console/login',
  'POST /api/auth/console/refresh',
  'POST /api/auth/console/logout',
  'GET /api/auth/logins',
  'DELETE /api/auth/logins/:id',
  'POST /api/auth/keys',
  'GET /api/auth/keys',
  'DELETE /api/auth/keys/:id',
  'PATCH /api/sessions/:id',
  'GET /api/sessions/:id/thumbnail',
  'POST /api/sessions/:id/cdp',
  'GET /api/sessions/:id/view',
  'GET /api/sessions/:id/share',
  'DELETE /api/sessions/:id',
  'POST /api/sessions/:id/takeover',
  'POST /api/sessions/:id/takeover/resume',
  'POST /api/sessions/:id/takeover/client',
  'POST /api/sessions/:id/takeover/renew',
  'GET /api/sessions/:id/recording',
  'GET /api/sessions/:id/recording/bands',
  'GET /api/sessions/:id/recording/frames/:frame_id',
  'GET /api/profiles',
  'POST /api/profiles',
  'DELETE /api/profiles/:id',
  'GET /api/secrets',
  'PUT /api/secrets/:name',
  'DELETE /api/secrets/:name',
  'GET /api/tasks',
  'GET /api/tasks/:id/decisions',
  'GET /api/tasks/:id/decisions/:number/view',
  'GET /api/tasks/:id/decisions/:number/picture',
  'POST /api/tasks/:id/messages',
  'POST /api/tasks/:id/rerun',
  'GET /api/tasks/:id/observations/:observation_id/image',
  'GET /api/tasks/:id/files/:file_id',
  'POST /api/invites',
  'GET /api/invites',
  'GET /api/admin/overview',
  'GET /api/admin/users',
  'PATCH /api/admin/users/:id',
  'GET /api/admin/hosts',
  'PUT /api/admin/hosts/:id',
  'GET /api/admin/agents',
  'GET /api/admin/tasks',
  'GET /api/admin/audit',
  'GET /api/admin/audit/export',
  'DELETE /api/invites/:id',
  'GET /api/policy',
  'PUT /api/policy',
  'GET /api/inbox',
  'GET /api/inbox/events',
  'GET /api/streams',
  'GET /api/tasks/:id/evidence',
  'GET /api/evidence/key',
  'GET /api/capabilities',
  'GET /api/health',
  'GET /api/ready',
  'GET /api/openapi.json',
];

const addresses = (origin: Route['origin']) =>
  all.filter(([, route]) => route.origin === origin).map(([, { method, path }]) => `${method} ${path}`);

test('the routes of the interface are exactly those it lists', () => {
  assert.deepEqual(sorted(addresses('interface')), sorted(frozen));
});

test('the routes beyond the interface are exactly those decided', () => {
  assert.deepEqual(sorted(addresses('extension')), sorted(beyond));
});

test('only registration, login, refresh and the service itself are public, and only watching can be shared', () => {
  const withAccess = (access: Route['access']) => all.filter(([, r]) => r.access === access).map(([name]) => name);
  assert.deepEqual(sorted(withAccess('public')), [
    'consoleLogin',
    'consoleLogout',
    'consoleRefresh',
    'getHealth',
    'getOpenApi',
    'getReady',
    'listEvidenceKeys',
    'login',
    'refresh',
    'register',
  ]);
  assert.deepEqual(sorted(withAccess('share')), ['followSession', 'followStreams', 'getSession']);
});

test('the list of error codes is closed', () => {
  assert.deepEqual(
    sorted(Object.keys(errors)),
    sorted([
      'validation_failed',
      'malformed_id',
      'token_missing',
      'token_invalid',
      'token_expired',
      'invalid_credentials',
      'forbidden',
      'not_found',
      'user_exists',
      'conflict',
      'takeover_conflict',
      'gone',
      'invalid_answer',
      'rate_limited',
      'quota_exceeded',
      'payload_too_large',
      'unsupported_media_type',
      'overloaded',
      'internal',
    ]),
  );
});

test('whatever a user changes counts against a limit, besides the logins themselves, which have their own', () => {
  const writes = all.filter(
    ([, { method, access, area }]) => method !== 'GET' && access !== 'public' && area !== 'auth',
  );
  assert.ok(writes.length > 10);
  for (const [name, { limit }] of writes) assert.equal(limit, name === 'movePointer' ? 'input' : 'write', name);
  for (const [name, { limit, errors: codes }] of all)
    if (limit) assert.ok(codes.includes('rate_limited'), `${name} does not say that it is limited`);
});

for (const [name, route] of all) {
  test(`${name} names the errors its parts can lead to, each once and from the list`, () => {
    const expected = [
      ...(route.access === 'public' ? [] : ['token_invalid', 'token_expired']),
      ...(route.access === 'public' || route.access === 'anyone' ? [] : ['token_missing']),
      ...(route.query || route.headers || route.body ? ['validation_failed'] : []),
      ...(route.body ? ['payload_too_large', 'unsupported_media_type'] : []),
      ...(route.params ? ['not_found'] : []),
    ];
    for (const code of expected)
      assert.ok(
        route.errors.some((own) => own === code),
        code,
      );
    assert.equal(new Set(route.errors).size, route.errors.length);
    for (const code of route.errors) assert.ok(code in errors, code);
  });

  test(`${name} has a parameter for each placeholder of its path`, () => {
    const placeholders = [...route.path.matchAll(/:(\w+)/g)].map(([, key]) => key);
    assert.deepEqual(Object.keys(route.params?.shape ?? {}), placeholders);
  });

  test(`${name} gives no key to two parts of its request, so a call can be one flat object`, () => {
    const parts = [route.params, route.query, route.body].map((part) => [...(part ? keysOf(part) : [])]);
    assert.equal(new Set(parts.flat()).size, parts.flat().length, parts.flat().join(' '));
  });

  test(`${name} limits its body by its area`, () => {
    const limit = route.area === 'auth' ? bodyLimits.auth : route.area === 'chat' ? bodyLimits.chat : bodyLimits.other;
    assert.equal(route.bodyLimitBytes, route.body ? limit : undefined);
  });

  test(`${name} can be written as JSON Schema, with no reference left hanging`, () => {
    for (const [schema, io] of [...asked(route), ...answered(route)]) assertWhole(schema, io);
  });

  test(`${name} answers with what can be sent as it is: nothing is converted or filled in on the way out`, () => {
    for (const [schema] of answered(route)) {
      assert.deepEqual(jsonSchema(schema, 'output'), jsonSchema(schema, 'input'));
    }
  });
}

test('success is answered with the status that was decided', () => {
  const none = ['204'];
  const logouts = { logout: none, logoutAll: none, consoleLogout: none };
  const other: Record<string, string[]> = {
    register: ['201'],
    createSession: ['201'],
    sendChat: ['200', '202'],
    rerunTask: ['202'],
    ...logouts,
    ...{ changePassword: none, endLogin: none, deleteKey: none, deleteInvite: none },
  };
  for (const [name, route] of all) {
    const expected = other[name] ?? (route.stream || (route.bytes && name !== 'getScreenshot') ? [] : ['200']);
    assert.deepEqual(Object.keys(route.replies), expected, name);
  }
});

test('only the limited routes answer rate_limited, and only the observations malformed_id', () => {
  const answering = (code: string) => all.filter(([, r]) => r.errors.some((own) => own === code)).map(([name]) => name);
  const logins = ['login', 'refresh', 'register', 'consoleLogin', 'consoleRefresh', 'consoleLogout'];
  const streams = all.filter(([, route]) => route.stream).map(([name]) => name);
  const limited = all.filter(([, route]) => route.limit).map(([name]) => name);
  assert.deepEqual(sorted(answering('rate_limited')), sorted([...logins, ...streams, ...limited]));
  assert.deepEqual(answering('malformed_id'), ['listObservations']);
});

test('a body may be left out exactly where nothing in it is needed', () => {
  const optional = all.filter(([, { body }]) => body?.safeParse(undefined).success).map(([name]) => name);
  assert.deepEqual(
    sorted(optional),
    sorted([
      'logout',
      'logoutAll',
      'openProgramAccess',
      'renewTakeover',
      'createInvite',
      'createSession',
      'shareSession',
      'requestSessionTakeover',
      'resumeSessionTakeover',
      'requestTakeover',
      'resumeTakeover',
      'signalTakeover',
      'cancelTask',
    ]),
  );
});

test('a body that was left out reads as its defaults', () => {
  assert.deepEqual(routes.requestTakeover.body.parse(undefined), { expires_in_secs: 300 });
  assert.deepEqual(routes.shareSession.body.parse(undefined), { expires_in_secs: 86_400 });
  assert.deepEqual(routes.logout.body.parse(undefined), {});
});

test('a component has one shape, whichever route leads to it and in whichever direction', () => {
  const seen = new Map<string, unknown>();
  for (const [schema, io] of all.flatMap(([, route]) => [...asked(route), ...answered(route)])) {
    for (const [id, shape] of Object.entries(jsonSchema(schema, io).$defs ?? {})) {
      assert.match(id, /^[A-Z][A-Za-z0-9]*$/);
      assert.deepEqual(shape, seen.get(id) ?? shape, id);
      seen.set(id, shape);
    }
  }
  for (const id of ['Session', 'Route', 'Frame', 'Overlay', 'TaskStatus', 'Takeover', 'Step'])
    assert.ok(seen.has(id), id);
});

type Io = 'input' | 'output';
type Node = { $defs?: Record<string, unknown>; [key: string]: unknown };

/** The schemas of a request and of its answers, each with the direction it is used in. */
const asked = ({ params, query, headers, body }: Route): [z.ZodType, Io][] =>
  [params, query, headers, body].flatMap((schema) => (schema ? [[schema, 'input']] : []));
const answered = ({ replies, stream }: Route): [z.ZodType, Io][] =>
  [...Object.values(replies), ...(stream ? [stream] : [])].flatMap((schema) =>
    schema === noContent ? [] : [[schema, 'output']],
  );

// Whether unknown keys are mentioned is the one difference the direction makes by itself.
const jsonSchema = (schema: z.ZodType, io: Io): Node =>
  z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema: node }) => {
      if (node.additionalProperties === false) delete node.additionalProperties;
    },
  }) as Node;

function assertWhole(schema: z.ZodType, io: Io) {
  const root = jsonSchema(schema, io);
  const references = [...JSON.stringify(root).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target]) => target ?? '');
  for (const target of references) {
    assert.ok(target.startsWith('#/$defs/') && target.slice(8) in (root.$defs ?? {}), `${target} leads nowhere`);
  }
}

/** The top-level keys a schema takes, through references and alternatives. */
function keysOf(schema: z.ZodType): Set<string> {
  const root = jsonSchema(schema, 'input');
  const walk = (node: Node): string[] => {
    const reference = typeof node.$ref === 'string' ? [root.$defs?.[node.$ref.slice(8)] as Node] : [];
    const branches = [node.anyOf, node.oneOf, node.allOf].flatMap((branch) => (branch ?? []) as Node[]);
    return [...Object.keys(node.properties ?? {}), ...[...reference, ...branches].flatMap(walk)];
  };
  return new Set(walk(root));
}
