// The one way out of a session's browser: a proxy on loopback that serves this browser alone and connects only to
// addresses it has judged.

import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { WaitError } from '@pilothouse/bus';
import { userOfClient } from './client.ts';
import { type Connect, connectTo, createDial, RefusedError } from './dial.ts';
import { createForward, MAX_HEADER_BYTES } from './forward.ts';
import { openNames, type Resolve, remembering, withKnownNames } from './names.ts';
import { createPassOn } from './pass-on.ts';
import { createPolicy, type DomainLists, type RefusalReason, type Target, targetOf } from './policy.ts';
import { createRefusals, type Refusal } from './refusals.ts';

const OWN_ADDRESSES_MS = 5000;

const limitsByDefault = {
  /** Chromium holds at most 32 to a proxy for requests, and as many again for WebSockets. */
  connections: 256,
  resolveMs: 5000,
  connectMs: 10_000,
  idleMs: 600_000,
  keepMs: 30_000,
  rememberNamesMs: 10_000,
  tellRefusalsEveryMs: 1000,
  /** What a page consists of comes at once; what is larger leaves room for other sessions. */
  burstBytes: 4 * 1024 * 1024,
  bytesPerSec: 16 * 1024 * 1024,
};

export type Guard = {
  /** `http://127.0.0.1:<port>`, for `guardArgs`. */
  url: string;
  /** From now on these, also for what is open: a connection they do not allow is cut. */
  setLists(lists: DomainLists): void;
  /** For what is refused elsewhere, so that the viewer hears of everything in one way. */
  refuse(refusal: Omit<Refusal, 'count'>): void;
  close(): Promise<void>;
};

export type GuardOptions = DomainLists & {
  allowLoopbackPorts: Pick<ReadonlySet<number>, 'has'>;
  onRefused: (refusal: Refusal) => void;
  /** Each host as it is refused, also those that are only counted. */
  onTried?: ((host: string) => void) | undefined;
  /** So much came in a row that it is slowed down: again and again while it goes on. */
  onSlowed?: (() => void) | undefined;
  /** The user the browser runs as; without it our own. */
  clientUid?: number | undefined;
  ownAddresses?: () => readonly string[];
  resolve?: Resolve;
  connect?: Connect;
  limits?: Partial<typeof limitsByDefault>;
};

export async function openGuard(options: GuardOptions): Promise<Guard> {
  const { clientUid = process.getuid?.(), ownAddresses = machineAddresses() } = options;
  const limits = { ...limitsByDefault, ...options.limits };
  const closed = new AbortController();
  const names = openNames({ timeoutMs: limits.resolveMs });
  const refusals = createRefusals({ tell: options.onRefused, note: options.onTried }, limits.tellRefusalsEveryMs);
  const live = new Set<Live>();
  const clients = new WeakMap<Duplex, Promise<boolean>>();
  const sockets = new Set<Socket>();
  let loopbackPorts = options.allowLoopbackPorts;
  let policy = policyOf(options);

  function policyOf({ allow, deny }: DomainLists) {
    return createPolicy({ allow, deny, allowLoopbackPorts: loopbackPorts, ownAddresses });
  }

  const dial = createDial({
    policy: () => policy,
    resolve: withKnownNames(
      remembering(options.resolve ?? names.resolve, { forMs: limits.rememberNamesMs, atMost: 1000 }),
    ),
    connect: options.connect ?? connectTo,
    resolveMs: limits.resolveMs,
    connectMs: limits.connectMs,
    signal: closed.signal,
  });
  const passOn = createPassOn({ ...limits, onSlowed: options.onSlowed });
  const forward = createForward({ ...limits, dial, passOn, maxConnections: limits.connections });

  const isOurs = (socket: Duplex) => clients.get(socket) ?? Promise.resolve(false);

  function answerFor(error: unknown, via: 'request' | 'tunnel', target: Target | undefined): Answer {
    if (!(error instanceof RefusedError)) return error instanceof WaitError ? late : unreachable;
    refusals.add({ via, host: target?.host ?? '', port: target?.port, reason: error.reason });
    return refusedAnswer(error.reason);
  }

  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!(await isOurs(request.socket))) return void request.socket.destroy();
    // Whoever asked may have gone meanwhile, and must not be counted among those who are there.
    if (response.destroyed) return;
    const { target, path, reason } = readRequestLine(request.url ?? '');
    const entry = target && { target, end: () => response.destroy() };
    try {
      // Judged for every request: the connection it travels on may be older than the lists.
      const refused = reason ?? (target && policy.judgeName(target));
      if (!target || !entry || refused) throw new RefusedError(refused ?? 'malformed');
      live.add(entry);
      response.once('close', () => live.delete(entry));
      await forward.send(request, response, target, path);
    } catch (error) {
      // The answer was begun and cannot be taken back.
      if (response.headersSent) return void response.destroy();
      const { status, text } = answerFor(error, 'request', target);
      // With the word for it, because one that the site gave may still be set, and be what cannot be sent.
      response.writeHead(status, STATUS_CODES[status], plain(text)).end(text);
    }
  }

  async function onConnect(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    const target = targetOf(request.url ?? '');
    try {
      if (!target) throw new RefusedError('malformed');
      // Both at once: to learn who the client is takes milliseconds on a busy machine. A stranger makes us connect to
      // where it could connect itself, and then not a byte goes either way.
      const [site, isKnown] = await Promise.all([dial(target), isOurs(client)]);
      // The lists may have changed meanwhile.
      const refused = policy.judgeName(target);
      if (client.destroyed || !isKnown || refused) site.destroy();
      if (refused) throw new RefusedError(refused);
      if (!isKnown) return void client.destroy();
      if (!client.destroyed) join(client, site, target, head);
    } catch (error) {
      if (!(await isOurs(client))) return void client.destroy();
      const { status, text } = answerFor(error, 'tunnel', target);
      const headers = Object.entries({ ...plain(text), connection: 'close' });
      const lines = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        ...headers.map(([name, value]) => `${name}: ${value}`),
      ];
      client.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
    }
  }

  function join(client: Duplex, site: Socket, target: Target, head: Buffer): void {
    const end = () => {
      client.destroy();
      site.destroy();
    };
    const entry: Live = { target, end };
    live.add(entry);
    site.setTimeout(limits.idleMs, end).on('error', end);
    client.on('error', end).once('close', () => live.delete(entry));
    // Where one side is done, what it said last still reaches the other.
    site.once('close', () => client.end(() => client.destroy()));
    client.once('close', () => site.end(() => site.destroy()));
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) site.write(head);
    passOn(site, client);
    passOn(client, site);
  }

  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0, keepAliveTimeout: limits.keepMs, noDelay: true },
    // Whatever a site thinks of next, it is no reason for the host to end.
    (request, response) => void onRequest(request, response).catch(() => response.destroy()),
  );
  server.on('connect', (request, client, head) => void onConnect(request, client, head).catch(() => client.destroy()));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    clients.set(
      socket,
      userOfClient(socket).then(
        (uid) => uid !== undefined && uid === clientUid,
        // Who cannot be known is not ours.
        () => false,
      ),
    );
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  server.setTimeout(limits.idleMs);
  server.maxConnections = limits.connections;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  // A connection that could not be taken is the loss of whoever made it.
  server.on('error', () => undefined);
  // Listening on TCP, so the address is of this kind.
  const { port } = server.address() as AddressInfo;
  // Through itself it would go round for ever.
  loopbackPorts = { has: (open) => open !== port && options.allowLoopbackPorts.has(open) };
  policy = policyOf(options);

  return {
    url: `http://127.0.0.1:${port}`,
    setLists(lists) {
      policy = policyOf(lists);
      for (const { target, end } of live) if (policy.judgeName(target)) end();
    },
    refuse: refusals.add,
    async close() {
      closed.abort();
      names.close();
      const gone = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { end } of live) end();
      for (const socket of sockets) socket.destroy();
      forward.close();
      await gone;
      refusals.close();
    },
  };
}

type Live = { target: Target; end(): void };
type Answer = { status: number; text: string };

const late: Answer = { status: 504, text: 'The site did not answer in time' };
const unreachable: Answer = { status: 502, text: 'The site cannot be reached' };
const refusedAnswer = (reason: RefusalReason): Answer => ({ status: 403, text: `Refused by the guard: ${reason}` });

const plain = (text: string) => ({
  'content-type': 'text/plain; charset=utf-8',
  'content-length': Buffer.byteLength(text),
  'cache-control': 'no-store',
});

/** `http://host:port/path`. Not read as an URL and written again: what the browser sent is what the site gets. */
function readRequestLine(line: string): { target?: Target; path: string; reason?: RefusalReason } {
  const [, scheme, authority = '', rest = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)/i.exec(line) ?? [];
  if (scheme?.toLowerCase() !== 'http') return { path: '', reason: 'scheme' };
  const target = targetOf(/:\d+$/.test(authority) ? authority : `${authority}:80`);
  return { ...(target && { target }), path: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Interfaces come and go, but not between two requests of a page. */
function machineAddresses(): () => readonly string[] {
  let known: readonly string[] = [];
  let until = 0;
  return () => {
    if (performance.now() < until) return known;
    until = performance.now() + OWN_ADDRESSES_MS;
    known = Object.values(networkInterfaces()).flatMap((one) => one?.map(({ address }) => address) ?? []);
    return known;
  };
}
