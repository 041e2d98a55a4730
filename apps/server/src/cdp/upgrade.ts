// WebSockets of programs at /cdp/<session>. Refused before anything is upgraded: pages of other origins, strangers, sessions of
// others. The address may hold a ticket, so it must never be logged.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import proxyAddress from '@fastify/proxy-addr';
import { AppError } from '@pilothouse/contract';
import type { Log } from '@pilothouse/process';
import type { Caller, Store } from '@pilothouse/store';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import type { CallLimits } from '../http/call-limits.ts';
import { refuse } from '../http/parser-errors.ts';
import { bearerOf, problemOf, toAppError } from '../http/problem.ts';
import type { EventStream } from '../sse/event-stream.ts';
import type { ProgramAccessService } from './access.service.ts';
import type { createProgramConnections } from './connections.ts';

type Options = {
  store: Store;
  access: ProgramAccessService;
  connections: ReturnType<typeof createProgramConnections>;
  /** Why a request is refused by its Host or Origin. */
  checkOrigin: (request: Pick<FastifyRequest, 'headers' | 'routeOptions'>) => AppError | undefined;
  /** Ends the connection with the right of its caller. */
  track: (caller: Caller, tracked: Pick<EventStream, 'onEnd' | 'close'>) => void;
  limits: Pick<CallLimits, 'spend'>;
  /** They are believed about the address of a program. */
  trustedProxies: string[];
  log: Log;
};

const maxMessageBytes = 16 * 1024 * 1024;
const maxPerUser = 32;
const revokedCode = 1008;

export const isProgramPath = (url: string | undefined): boolean => /^\/cdp\/[^/?]+\/?(?:\?|$)/.test(url ?? '');

export function serveProgramSockets(app: FastifyInstance, options: Options): void {
  const { access, checkOrigin, limits, trustedProxies, log } = options;
  const server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });
  const places = createPlaces();

  async function admit(request: IncomingMessage, socket: Duplex): Promise<Admitted> {
    const url = new URL(request.url ?? '', 'http://localhost');
    const sessionId = url.pathname.split('/')[2] ?? '';
    // Of all that a request has, these two are asked for nothing but headers.
    const asked = { headers: request.headers, routeOptions: { url: '/cdp' } } as unknown as FastifyRequest;
    const refusal = isProgramPath(request.url) ? checkOrigin(asked) : new AppError('not_found');
    if (refusal) throw refusal;
    const byHeader = url.searchParams.get('steps_by') === 'person';
    const { caller, isGiven } = await access.callerOf(asked, sessionId, url.searchParams.get('ticket'), byHeader);
    // A ticket was counted when it was made. Each connection writes two lines to the audit.
    if (bearerOf(asked)) await limits.spend({ limit: 'write' }, Object.assign(asked, { caller }));
    places.take(caller.id, socket);
    const whileDriven = url.searchParams.get('while_driven') === 'wait' ? ('wait' as const) : ('fail' as const);
    return { caller, sessionId, whileDriven, isGiven };
  }
  const trusted = proxyAddress.compile(trustedProxies);

  // Everything else is an ordinary request, also of clients that offer HTTP/2 with each of theirs.
  const shouldUpgradeCallback = ({ url, headers }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket' && isProgramPath(url);
  // Node has it, and its types do not yet.
  Object.assign(app.server, { shouldUpgradeCallback });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    admit(request, socket).then(
      (admitted) => server.handleUpgrade(request, socket, head, (opened) => begin(opened, admitted)),
      (error) => turnAway(socket, error, log),
    );
    const begin = (opened: Parameters<Parameters<WebSocketServer['handleUpgrade']>[3]>[0], admitted: Admitted) => {
      // A socket that is closed already has no address.
      const address = request.socket.remoteAddress ? proxyAddress(request, trusted) : null;
      connect(options, { socket: opened, wire: socket }, admitted, address).catch((error) => {
        log.warn({ err: error, session_id: admitted.sessionId }, 'a program could not be connected');
        opened.close(revokedCode);
      });
    };
  });
}

/** How many sockets each user has, from the moment they are let in: many may ask for one at once. */
function createPlaces() {
  const counts = new Map<string, number>();
  return {
    /** Until the socket is closed, also where it is never upgraded. */
    take(userId: string, socket: Duplex): void {
      const count = counts.get(userId) ?? 0;
      if (count >= maxPerUser) throw new AppError('rate_limited', { retryAfterSecs: 5 });
      if (socket.closed) return;
      counts.set(userId, count + 1);
      socket.once('close', () => {
        const left = (counts.get(userId) ?? 1) - 1;
        if (left > 0) counts.set(userId, left);
        else counts.delete(userId);
      });
    },
  };
}

type Admitted = { caller: Caller; sessionId: string; whileDriven: 'fail' | 'wait'; isGiven: boolean };
type Socket = Parameters<Parameters<WebSocketServer['handleUpgrade']>[3]>[0];

async function connect(
  { store, connections, track }: Options,
  { socket, wire }: { socket: Socket; wire: Duplex },
  { caller, sessionId, whileDriven, isGiven }: Admitted,
  address: string | null,
): Promise<void> {
  const onEnds: (() => void)[] = [];
  const isOf = { userId: caller.id, address, data: { session_id: sessionId } };
  track(caller, {
    onEnd: (listener) => void onEnds.push(listener),
    // At once: a program whose key was revoked need not agree to it.
    close() {
      socket.close(revokedCode, 'the login or key has ended');
      socket.terminate();
    },
  });
  socket.on('error', () => socket.terminate());
  await connections.add({ sessionId, userId: caller.id, whileDriven, isGiven, socket, wire }, () => {
    for (const onEnd of onEnds) onEnd();
    void store.audit.add({ event: 'program_disconnected', outcome: 'success', ...isOf }).catch(() => undefined);
  });
  await store.audit.add({ event: 'program_connected', outcome: 'success', ...isOf });
}

function turnAway(socket: Duplex, error: unknown, log: Log): void {
  const known = toAppError(error);
  if (known.code === 'internal') log.warn({ err: error }, 'a program could not be let in');
  refuse(socket, problemOf(known, '').status, known);
}
