import assert from 'node:assert/strict';
import { createClient } from '@pilothouse/sdk';
import { connectMcp, requestOfCall } from '../../testkit/mcp.ts';
import { figuresOf, ratio } from '../../testkit/percentiles.ts';
import { freePort } from '../../testkit/stack/ports.ts';
import { createStack } from '../../testkit/stack/stack.ts';

type Plan = { rounds: number; requests: number; warmUp?: number };
type Side = 'http' | 'mcp' | 'client';
type Way = { [S in Side]: () => Promise<unknown> };

const usualWarmUp = 300;
const sessionCount = 20;

/**
 * What a call of a tool costs beside the HTTP route of the same operation, at the same server: one request after the other, both
 * sides in turn and sent by the same `fetch`, so that both have the same weather. `client` is the whole way through the official
 * client, which checks and parses on its side too.
 */
export async function measureMcp({ rounds, requests, warmUp = usualWarmUp }: Plan) {
  const stack = createStack(`bench-mcp-${process.pid}`);
  const down = () => stack.down({ wipe: true });
  const interrupt = () => void down().finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    delete process.env.DISABLE_AUTH;
    process.env.LOG_LEVEL = 'warn';
    const port = await freePort();
    await stack.up({ port, servers: 1, agents: 0, browsers: 0, disableAuth: false });
    const baseUrl = `http://127.0.0.1:${port}`;
    const { token, taskId } = await prepare(baseUrl);
    const official = await connectMcp(baseUrl, token);
    const way = (path: string, name: string, args: object): Way => ({
      http: () => ask(new URL(path, baseUrl), { headers: { authorization: `Bearer ${token}` } }),
      mcp: () => ask(new URL('/mcp', baseUrl), requestOfCall(token, { name, arguments: args })),
      client: () => official.call(name, args),
    });
    const ways = {
      get_task: way(`/api/tasks/${taskId}/status`, 'get_task', { task_id: taskId }),
      list_sessions: way(`/api/sessions?limit=${sessionCount}`, 'list_sessions', { limit: sessionCount }),
    };
    const figures: Record<string, object> = {};
    for (const [name, sides] of Object.entries(ways))
      figures[name] = await measure(sides, { rounds, requests, warmUp });
    await official.close();
    return { rounds, requests, call_ms: figures as Record<keyof typeof ways, Figures> };
  } finally {
    await down();
  }
}

async function ask(url: URL, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  const body = await response.text();
  assert.equal(response.status, 200, body);
  return body;
}

async function prepare(baseUrl: string) {
  const user = { username: 'ada', email: 'ada@example.com', password: 'correct horse battery' };
  const guest = createClient({ baseUrl });
  await guest.register(user);
  const { access_token: token } = await guest.login({ username_or_email: user.username, password: user.password });
  const client = createClient({ baseUrl, token: () => token });
  for (let i = 1; i < sessionCount; i++) await client.createSession({ title: `session ${i}` });
  const { task_id: taskId } = await client.sendChat({ prompt: 'x', steps: [{ action: 'screenshot' }] });
  return { token, taskId };
}

type Figures = Awaited<ReturnType<typeof measure>>;
async function measure(sides: Way, { rounds, requests, warmUp }: Required<Plan>) {
  const ms: Record<Side, number[]> = { http: [], mcp: [], client: [] };
  const names = Object.keys(ms) as Side[];
  for (const side of names) for (let i = 0; i < warmUp; i++) await sides[side]();
  for (let i = 0; i < rounds * requests; i++)
    for (const side of names) {
      const begun = performance.now();
      await sides[side]();
      ms[side].push(performance.now() - begun);
    }
  const [http, mcp, client] = [figuresOf(ms.http), figuresOf(ms.mcp), figuresOf(ms.client)];
  return { http, mcp, ratio: ratio(mcp, http), client, client_ratio: ratio(client, http) };
}
