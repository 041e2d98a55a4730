import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { routes } from './routes.ts';

// Clients are typed by these names; they may never change. Each is spelled out as a client would read it.

const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const at = '2026-01-02T03:04:05.678Z';

const user = { id, username: 'ada', email: 'ada@example.com', role: 'user' };
const tokens = { access_token: 'pha_x', refresh_token: 'phr_x', token_type: 'Bearer', expires_in: 900, user };
const route = { session: id, page: null, frame: null, url: null, title: null };

const session = {
  id,
  status: 'idle',
  browser: 'cold',
  last_task_id: null,
  live_path: `/api/sessions/${id}/live`,
  profile_id: null,
  profile_label: null,
  title: null,
  created_at: at,
  updated_at: at,
  last_event_at: null,
  shared: false,
  viewers: 0,
  recording: false,
};

const snapshot = {
  session,
  last_frame: {
    frame_id: id,
    session_id: id,
    task_id: null,
    seq: 1,
    recorded_at: at,
    content_type: 'image/jpeg',
    width: 1280,
    height: 720,
    device_scale: 1,
    screenshot_base64: '',
    route,
    private: false,
  },
  overlays: [],
  route_summary: { current: route, pages: [], history: [] },
  message_state: null,
  takeover: null,
  cursor: '1',
};

const status = {
  task_id: id,
  session_id: id,
  title: 'Look',
  status: 'running',
  total_steps: null,
  current_step: 0,
  current_step_title: '',
  started_at: at,
  finished_at: null,
  last_error: null,
  last_updated_at: at,
  result: null,
  takeover: null,
  question: null,
  recent_evidence: [],
  agent_history: [],
  attempt: 1,
  cost: { steps: 0, model_calls: 0, input_tokens: 0, output_tokens: 0 },
  cursor: '1',
};

const chat = { success: true, session_id: id, task_id: id, status: 'pending', stream_path: '/s', live_path: '/l' };

const tokenNames = ['access_token', 'refresh_token', 'token_type', 'expires_in', 'user'];
const userNames = ['user.id', 'user.username', 'user.email', 'user.role'];

const cases: { reply: string; schema: z.ZodType; sample: unknown; names: string[] }[] = [
  { reply: 'login', schema: routes.login.replies[200], sample: tokens, names: [...tokenNames, ...userNames] },
  { reply: 'refresh', schema: routes.refresh.replies[200], sample: tokens, names: [...tokenNames, ...userNames] },
  { reply: 'chat', schema: routes.sendChat.replies[202], sample: chat, names: ['success', 'session_id', 'task_id'] },
  {
    reply: 'session list',
    schema: routes.listSessions.replies[200],
    sample: { success: true, sessions: [session], next_cursor: null },
    names: ['success', 'sessions.0.id', 'sessions.0.status', 'sessions.0.last_task_id'],
  },
  {
    reply: 'new session',
    schema: routes.createSession.replies[201],
    sample: { success: true, session },
    names: ['success', 'session.id', 'session.status', 'session.live_path'],
  },
  {
    reply: 'session detail',
    schema: routes.getSession.replies[200],
    sample: { success: true, snapshot },
    names: [
      'snapshot.session',
      'snapshot.session.id',
      'snapshot.session.status',
      'snapshot.session.last_task_id',
      'snapshot.last_frame',
      'snapshot.overlays',
      'snapshot.route_summary',
    ],
  },
  {
    reply: 'task status',
    schema: routes.getTaskStatus.replies[200],
    sample: { success: true, status },
    names: [
      'success',
      'status.status',
      'status.current_step',
      'status.current_step_title',
      'status.agent_history',
      'status.recent_evidence',
    ],
  },
  {
    reply: 'task observations',
    schema: routes.listObservations.replies[200],
    sample: { success: true, data: { task_id: id, observations: [], next_cursor: null } },
    names: ['success', 'data.task_id', 'data.observations'],
  },
];

for (const { reply, schema, sample, names } of cases) {
  test(`the ${reply} reply keeps the names clients rely on, and promises them`, () => {
    const parsed = schema.parse(sample);
    for (const name of names) {
      assert.ok(has(parsed, name), `${name} is not in the reply`);
      assert.ok(isPromised(schema, name), `${name} is not required`);
    }
  });
}

type Node = { [key: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function has(value: unknown, name: string): boolean {
  let here = value;
  for (const key of name.split('.')) {
    if (!isNode(here) || !(key in here)) return false;
    here = here[key];
  }
  return true;
}

/** Whether each key along the way is required by the published schema; a number steps into an array. */
function isPromised(schema: z.ZodType, name: string): boolean {
  const root = z.toJSONSchema(schema, { io: 'output' }) as Node;
  const resolve = (node: unknown): Node => {
    if (!isNode(node)) return {};
    if (typeof node.$ref === 'string') return resolve((root.$defs as Node)[node.$ref.slice('#/$defs/'.length)]);
    if (Array.isArray(node.anyOf)) return resolve(node.anyOf.find((branch) => branch.type !== 'null'));
    return node;
  };
  let here = resolve(root);
  for (const key of name.split('.')) {
    if (here.type === 'array') {
      here = resolve(here.items);
      continue;
    }
    if (!(here.required as string[] | undefined)?.includes(key)) return false;
    here = resolve((here.properties as Node)[key]);
  }
  return true;
}
