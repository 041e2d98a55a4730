// A server with logs and streams as the interface has them, in memory, that can be cut and made to refuse.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BundledKind, type ErrorCode, errors, readBundledStream } from '@pilothouse/contract';

type Stream = { name: string; kind: BundledKind; id: string };
type Open = { response: ServerResponse; streams: Stream[]; isBundle: boolean; token: string | undefined };

const user = (name: string) => ({
  id: `01890000-0000-7000-8000-${name.padStart(12, '0')}`,
  username: name,
  email: `${name}@example.test`,
  role: 'user',
});

export async function startStreamServer() {
  const logs = new Map<string, number>();
  const open = new Set<Open>();
  const state = {
    /** The one token that is taken; any, where there is none. */
    token: undefined as string | undefined,
    hasBundles: true,
    /** Whether it knows the stream of an inbox. */
    hasInboxes: true,
    missing: new Set<string>(),
    requests: [] as string[],
    /** The most responses that were open at a time. */
    mostOpen: 0,
  };

  const refuse = (response: ServerResponse, code: ErrorCode) => {
    const { status } = errors[code];
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problemOf(code)));
  };
  const write = ({ response, isBundle }: Open, { name, kind }: Stream, event: object, cursor: number | null) => {
    const id = cursor === null || isBundle ? '' : `id: ${cursor}\n`;
    const data = isBundle
      ? { type: kind, stream: name, cursor: cursor === null ? null : String(cursor), event }
      : event;
    response.write(`${id}data: ${JSON.stringify(data)}\n\n`);
  };
  const kindOf = { live: 'overlay', task: 'log', inbox: 'inbox' } as const;
  const send = (one: Open, stream: Stream, seq: number) => write(one, stream, { type: kindOf[stream.kind], seq }, seq);
  const each = (id: string, tell: (one: Open, stream: Stream) => void) => {
    for (const one of open) for (const stream of one.streams) if (stream.id === id) tell(one, stream);
  };

  const begin = (request: IncomingMessage, response: ServerResponse, asked: (Stream & { from: number })[]) => {
    // A share is as good as a login here.
    const token = request.headers.authorization?.slice(7) ?? request.headers['x-share-token']?.toString();
    const isBundle = asked[0]?.name !== '';
    const found = asked.filter(({ id }) => !state.missing.has(id));
    if (state.token !== undefined && token === undefined) return refuse(response, 'token_missing');
    if (state.token !== undefined && token !== state.token) return refuse(response, 'token_expired');
    if (found.length === 0) return refuse(response, 'not_found');
    const one: Open = { response, streams: found, isBundle, token };
    open.add(one);
    state.mostOpen = Math.max(state.mostOpen, open.size);
    response.on('close', () => open.delete(one));
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 80\n\n');
    for (const stream of asked) {
      if (state.missing.has(stream.id)) {
        const refused = { type: 'refused', stream: stream.name, problem: problemOf('not_found') };
        response.write(`data: ${JSON.stringify(refused)}\n\n`);
        // An inbox tells its newest state only.
      } else if (stream.kind === 'inbox') {
        const seq = logs.get(stream.id) ?? 0;
        if (seq !== stream.from) send(one, stream, seq);
      } else for (let seq = stream.from + 1; seq <= (logs.get(stream.id) ?? 0); seq += 1) send(one, stream, seq);
    }
    return undefined;
  };

  /** Anybody may log in, under names that are hexadecimal digits; the token is their name. */
  const logIn = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { username_or_email: name } = JSON.parse(text);
    const tokens = { access_token: name, refresh_token: name, token_type: 'Bearer', expires_in: 900, user: user(name) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens));
  };

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://a');
    if (url.pathname === '/api/auth/login') return void logIn(request, response);
    state.requests.push(`${url.pathname}${url.search}`);
    if (url.pathname === '/api/streams') {
      if (!state.hasBundles) return refuse(response, 'not_found');
      const streams = url.searchParams.getAll('stream').flatMap((text) => readBundledStream(text) ?? []);
      if (!state.hasInboxes && streams.some(({ kind }) => kind === 'inbox'))
        return refuse(response, 'validation_failed');
      return begin(
        request,
        response,
        streams.map((stream) => ({ ...stream, from: Number(stream.cursor ?? 0) })),
      );
    }
    const [, , area, id = ''] = url.pathname.split('/');
    const isInbox = area === 'inbox';
    if (isInbox && !state.hasInboxes) return refuse(response, 'not_found');
    const from = Number(request.headers['last-event-id'] ?? url.searchParams.get('cursor') ?? 0);
    const kind = isInbox ? 'inbox' : area === 'tasks' ? 'task' : 'live';
    return begin(request, response, [{ name: '', kind, id: isInbox ? 'me' : id, from }]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    state,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The streams of every open response. */
    carried: () => [...open].map(({ streams }) => streams.map(({ kind, id }) => `${kind}:${id}`)),
    tokens: () => [...open].map(({ token }) => token),
    /** Adds entries to the log of a session or a task, and sends them to its streams. */
    say(id: string, count = 1) {
      for (let times = 0; times < count; times += 1) {
        const seq = (logs.get(id) ?? 0) + 1;
        logs.set(id, seq);
        each(id, (one, stream) => send(one, stream, seq));
      }
    },
    frame: (id: string, n: number) => each(id, (one, stream) => write(one, stream, { type: 'frame', n }, null)),
    end: (id: string) => each(id, (one, stream) => write(one, stream, { type: 'end', status: 'success' }, null)),
    cut() {
      for (const { response } of open) response.destroy();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
export type StreamServer = Awaited<ReturnType<typeof startStreamServer>>;

function problemOf(code: ErrorCode) {
  const { status, title } = errors[code];
  return { type: 'about:blank', title, status, detail: title, success: false, code, request_id: 'r' };
}
