// The only way of a session's browser to the network: a proxy on loopback. It serves this browser alone, and connects
// only to addresses that the policy has judged.

import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdmission } from './admission.ts';
import { type Connect, connectTo, createDial } from './dial.ts';
import { cached, openResolver, type Resolve, withKnownNames } from './dns.ts';
import { createAnswerFor } from './error-answers.ts';
import { createForward, maxHeaderBytes } from './forward.ts';
import { createOpenTargets } from './open-targets.ts';
import { createAnswerRequest } from './plain-request.ts';
import { createRefusals, type Refusal } from './refusals.ts';
import { createPolicy, type DomainLists } from './rules/domains.ts';
import { machineAddresses } from './rules/own-addresses.ts';
import { createThrottle } from './throttle.ts';
import { createOpenTunnel } from './tunnel.ts';

const limitsByDefault = {
  /** Chromium holds at most 32 to a proxy for requests, and as many again for WebSockets. */
  connections: 256,
  resolveMs: 5000,
  connectMs: 10_000,
  idleMs: 600_000,
  keepMs: 30_000,
  rememberNamesMs: 10_000,
  tellRefusalsEveryMs: 60_000,
  /** The parts of a page come at full speed; a longer download leaves bandwidth to other sessions. */
  burstBytes: 4 * 1024 * 1024,
  bytesPerSec: 16 * 1024 * 1024,
};

export type Guard = {
  /** `http://127.0.0.1:<port>`, for `guardArgs`. */
  url: string;
  /** From now on these lists, also for what is open: a connection that they do not allow is cut. */
  setLists(lists: DomainLists): void;
  /** Reports what another part of the host refused, so that viewers hear of all refusals in one way. */
  refuse(refusal: Omit<Refusal, 'count'>): void;
  close(): Promise<void>;
};

export type GuardListeners = Pick<GuardOptions, 'onRefused' | 'onTried' | 'onSlowed'>;

/** The guard of one browser. It may refuse something before a session uses the browser. */
export type BrowserGuard = Pick<Guard, 'setLists' | 'refuse'> & { listen(listeners: Partial<GuardListeners>): void };

export type GuardOptions = DomainLists & {
  allowLoopbackPorts: Pick<ReadonlySet<number>, 'has'>;
  onRefused: (refusal: Refusal) => void;
  /** Each refused host at once, also those that `onRefused` only counts. */
  onTried?: ((host: string, reason: Refusal['reason'], port: number | undefined) => void) | undefined;
  /** The browser transfers so much that it is slowed down: called for each delayed piece. */
  onSlowed?: (() => void) | undefined;
  /** The user that the browser runs as; by default our own. */
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
  const names = openResolver({ timeoutMs: limits.resolveMs });
  const refusals = createRefusals({ tell: options.onRefused, note: options.onTried }, limits.tellRefusalsEveryMs);
  let ownPort: number | undefined;
  // Through itself a request would go round for ever.
  const allowLoopbackPorts = { has: (port: number) => port !== ownPort && options.allowLoopbackPorts.has(port) };
  const policyOf = ({ allow, deny }: DomainLists) => createPolicy({ allow, deny, allowLoopbackPorts, ownAddresses });

  const openTargets = createOpenTargets(policyOf(options));
  const admission = createAdmission(clientUid);
  const dial = createDial({
    policy: openTargets.policy,
    resolve: withKnownNames(cached(options.resolve ?? names.resolve, { forMs: limits.rememberNamesMs, atMost: 1000 })),
    connect: options.connect ?? connectTo,
    resolveMs: limits.resolveMs,
    connectMs: limits.connectMs,
    signal: closed.signal,
  });
  const passOn = createThrottle({ ...limits, onSlowed: options.onSlowed });
  const forward = createForward({ ...limits, dial, passOn, maxConnections: limits.connections });
  const answerFor = createAnswerFor(refusals);
  const answerRequest = createAnswerRequest({ admission, openTargets, forward, answerFor });
  const openTunnel = createOpenTunnel({ admission, openTargets, dial, passOn, answerFor, idleMs: limits.idleMs });

  // An answer of a site that breaks one of these must not end the host.
  const server = serverOf(limits, (request, response) => {
    void answerRequest(request, response).catch(() => response.destroy());
  });
  server.on('connect', (request, client, head) => void openTunnel(request, client, head).catch(() => client.destroy()));
  server.on('connection', admission.add);
  ownPort = await listen(server);

  return {
    url: `http://127.0.0.1:${ownPort}`,
    setLists: (lists) => openTargets.setPolicy(policyOf(lists)),
    refuse: refusals.add,
    async close() {
      closed.abort();
      names.close();
      const gone = new Promise<void>((resolve) => server.close(() => resolve()));
      openTargets.endAll();
      admission.destroyAll();
      forward.close();
      await gone;
      refusals.close();
    },
  };
}

function serverOf(limits: typeof limitsByDefault, onRequest: RequestListener): Server {
  const server = createServer(
    { maxHeaderSize: maxHeaderBytes, requestTimeout: 0, keepAliveTimeout: limits.keepMs, noDelay: true },
    onRequest,
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  server.setTimeout(limits.idleMs);
  server.maxConnections = limits.connections;
  return server;
}

/** The port on loopback. */
async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  // A connection that could not be accepted is lost to its client only.
  server.on('error', () => undefined);
  // Listening on TCP, so the address is of this kind.
  return (server.address() as AddressInfo).port;
}
