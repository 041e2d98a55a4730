// The door of programs: their tickets, /cdp/<session>/json/version for clients that ask for it first, and their sockets.

import type { Bus } from '@pilothouse/bus';
import { AppError, type Policy, routes } from '@pilothouse/contract';
import type { HostClient } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import { isGuest, type Store } from '@pilothouse/store';
import type { FastifyInstance } from 'fastify';
import type { Authenticate } from '../http/call.ts';
import type { Serve } from '../http/serve.ts';
import { addressesOf, createProgramAccess } from './access.service.ts';
import { createProgramConnections } from './connections.ts';
import { serveProgramSockets } from './upgrade.ts';

type Options = {
  app: FastifyInstance;
  store: Store;
  bus: Bus;
  hosts: HostClient;
  log: Log;
  authenticate: Authenticate;
  isAuthDisabled: boolean;
  /** What the installation demands of every task. */
  installation?: Policy;
  auth: { trustedProxies: string[] };
  checkOrigin: Parameters<typeof serveProgramSockets>[1]['checkOrigin'];
  limits: Parameters<typeof serveProgramSockets>[1]['limits'];
  track: Parameters<typeof serveProgramSockets>[1]['track'];
};

/** Returns what ends the connections. */
export function mountCdp(serve: Serve, options: Options): { close(): Promise<void> } {
  const { app, store, bus, hosts, log, authenticate, isAuthDisabled, installation } = options;
  const access = createProgramAccess({ store, authenticate, isAuthDisabled });
  const connections = createProgramConnections({ store, bus, hosts, log, installation });
  serve(routes.openProgramAccess, ({ caller, params, body, from, request }) =>
    access.issue(caller, params.id, body, { from, request }),
  );
  for (const path of ['/cdp/:id/json/version', '/cdp/:id/json/version/'])
    serve.other({ method: 'GET', path, access: 'user', area: 'sessions' }, async ({ request, reply }) => {
      const { id = '' } = request.params as { id?: string }; // as the path has it
      if (!request.caller || isGuest(request.caller)) throw new AppError('token_missing');
      await access.check(request.caller, id);
      return reply.send({
        Browser: 'Chrome/Pilothouse',
        'Protocol-Version': '1.3',
        webSocketDebuggerUrl: addressesOf(request, id).ws,
      });
    });
  const { checkOrigin, track, limits, auth } = options;
  const { trustedProxies } = auth;
  serveProgramSockets(app, { store, access, connections, checkOrigin, track, limits, trustedProxies, log });
  return { close: connections.close };
}
