// A server with logins as the interface has them, in memory, that can be told to misbehave.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ErrorCode, errors } from '@pilothouse/contract';

type Family = {
  user: User;
  live: Set<string>;
  refresh: string;
  parent?: { token: string; usedAt: number; reply: object };
};
type User = { id: string; username: string; email: string; role: 'user' };
type Exchange = { request: IncomingMessage; response: ServerResponse; body: Record<string, string> };

const repeatableMs = 10_000;

export async function startAuthServer() {
  const families = new Set<Family>();
  const known = new Map<string, Family>();
  const users = new Map<string, User>();
  let count = 0;

  const state = {
    now: 0,
    expiresInSecs: 900,
    refreshes: 0,
    /** The calls that came, each with the token it carried. */
    calls: [] as { path: string; token: string | undefined; code: number; idempotencyKey: string | undefined }[],
    chats: 0,
    /** What is done with the next answers to a refresh, after it took effect. */
    faults: [] as ('cut' | 'mute' | 'portal' | ErrorCode)[],
    onRefresh: async () => {},
    isRefusingAll: false,
  };

  const refuse = (response: ServerResponse, code: ErrorCode) => {
    const { status, title } = errors[code];
    const body = { type: 'about:blank', title, status, detail: title, success: false, code, request_id: 'r' };
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
  };
  const answer = (response: ServerResponse, body: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  const issue = (family: Family) => {
    count += 1;
    const [access_token, refresh_token] = [`pha_${count}`, `phr_${count}`];
    family.live.add(access_token);
    family.refresh = refresh_token;
    known.set(access_token, family);
    known.set(refresh_token, family);
    return { access_token, refresh_token, token_type: 'Bearer', expires_in: state.expiresInSecs, user: family.user };
  };

  const logIn = ({ response, body }: Exchange) => {
    if (body.password !== 'correct horse') return refuse(response, 'invalid_credentials');
    const username = body.username_or_email ?? '';
    const id = `01890000-0000-7000-8000-${String(users.size).padStart(12, '0')}`;
    const user = users.get(username) ?? { id, username, email: `${username}@example.test`, role: 'user' };
    users.set(username, user);
    const family: Family = { user, live: new Set(), refresh: '' };
    families.add(family);
    answer(response, issue(family));
  };

  const rotate = (token: string): object | undefined => {
    const family = known.get(token);
    if (!family || !families.has(family)) return undefined;
    if (family.refresh === token) {
      const reply = issue(family);
      family.parent = { token, usedAt: state.now, reply };
      return reply;
    }
    if (family.parent?.token === token && state.now - family.parent.usedAt <= repeatableMs) return family.parent.reply;
    families.delete(family);
    return undefined;
  };

  const refreshTokens = async ({ response, body }: Exchange) => {
    state.refreshes += 1;
    const fault = state.faults.shift();
    if (fault === 'rate_limited' || fault === 'overloaded') return refuse(response, fault);
    const reply = rotate(body.refresh_token ?? '');
    await state.onRefresh();
    if (fault === 'cut') return response.destroy();
    if (fault === 'mute') return undefined;
    if (fault === 'portal') return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
    if (fault) return refuse(response, fault);
    return reply ? answer(response, reply) : refuse(response, 'token_invalid');
  };

  /** The family of a live token, or why there is none. */
  const check = (token: string | undefined): Family | ErrorCode => {
    if (token === undefined) return 'token_missing';
    const family = known.get(token);
    if (!family || !families.has(family)) return 'token_invalid';
    return family.live.has(token) && !state.isRefusingAll ? family : 'token_expired';
  };

  const logOut = ({ response, body }: Exchange, holder: Family | ErrorCode) => {
    const named = [...families].find(({ refresh }) => refresh === body.refresh_token);
    const family = typeof holder === 'string' ? named : holder;
    if (!family) return refuse(response, typeof holder === 'string' ? holder : 'token_invalid');
    families.delete(family);
    return response.writeHead(204).end();
  };

  const logOutAll = ({ response }: Exchange, { user }: Family) => {
    for (const family of families) if (family.user === user) families.delete(family);
    response.writeHead(204).end();
  };

  /** One event for each connection; the third ends the task. */
  const stream = ({ request, response }: Exchange) => {
    const seq = Number(String(request.headers['last-event-id'] ?? 'c0').slice(1)) + 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 8\n\nid: c${seq}\ndata: ${JSON.stringify({ type: 'log', seq })}\n\n`);
    response.end(seq < 3 ? '' : 'data: {"type":"end","status":"success"}\n\n');
  };

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const exchange: Exchange = { request, response, body: text ? JSON.parse(text) : {} };
    const path = request.url ?? '';
    const token = request.headers.authorization?.replace('Bearer ', '');
    response.on('finish', () => {
      const idempotencyKey = request.headers['idempotency-key'] as string | undefined;
      state.calls.push({ path, token, code: response.statusCode, idempotencyKey });
    });
    if (path === '/api/auth/login') return logIn(exchange);
    if (path === '/api/auth/refresh') return refreshTokens(exchange);
    const holder = check(token);
    if (path === '/api/auth/logout') return logOut(exchange, holder);
    if (typeof holder === 'string') return refuse(response, holder);
    if (path === '/api/auth/logout-all') return logOutAll(exchange, holder);
    if (path.endsWith('/events')) return stream(exchange);
    if (path === '/api/chat') state.chats += 1;
    return answer(response, { ...holder.user, success: true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    ...{ state, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    logins: () => families.size,
    /** Lets all access tokens of now run out. */
    expire() {
      for (const { live } of families) live.clear();
    },
    endAll: () => families.clear(),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
