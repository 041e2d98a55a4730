// One NATS connection that comes back by itself, and knows at any moment whether it is there.

import { setTimeout as sleep } from 'node:timers/promises';
import { errors, type NatsConnection, type Status } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { checkTimeout, type Wait, WaitError, waitFor } from './deadline.ts';
import type { Lane } from './define.ts';
import { inboxPrefix } from './subjects.ts';

export interface Credentials {
  servers: string | string[];
  user: string;
  password: string;
  name: string;
}

export type BusStatus =
  | { type: 'connected' | 'disconnected' | 'stale' | 'credentials_refused' | 'closed'; lane: Lane }
  | { type: 'forbidden'; lane: Lane; operation: 'publish' | 'subscription'; subject: string };

export interface Link {
  readonly nc: NatsConnection;
  isConnected(): boolean;
  maxPayloadBytes(): number;
  /** Called each time the connection breaks; returns how to stop listening. */
  onLost(listener: () => void): () => void;
  /** Whether the server answers, which a connection that only looks alive does not show. */
  ping(wait: Wait): Promise<boolean>;
  close(timeoutMs: number): Promise<void>;
}

const RECONNECT_MS = 100;
const RECONNECT_JITTER_MS = 50;
// Refused credentials rarely heal within a moment, and every attempt is a line in the server's log.
const REFUSED_RECONNECT_MS = 2000;
const DIAL_MS = 2000;
// The library's two minutes would leave a process talking to a dead server for six.
const PING_INTERVAL_MS = 2000;
const MAX_PING_OUT = 2;

export async function openLink(
  lane: Lane,
  { servers, user, password, name }: Credentials,
  onStatus: (status: BusStatus) => void,
  wait: Wait,
): Promise<Link> {
  let refused = false;
  const dial = () =>
    connect({
      servers,
      user,
      pass: password,
      name: `${name} ${lane}`,
      inboxPrefix: inboxPrefix(user),
      timeout: DIAL_MS,
      maxReconnectAttempts: -1,
      reconnectDelayHandler: () =>
        refused ? REFUSED_RECONNECT_MS : RECONNECT_MS + Math.floor(Math.random() * RECONNECT_JITTER_MS),
      // Twice refused, the library would close for good; a server restarted with a wrong file must not end us.
      ignoreAuthErrorAbort: true,
      pingInterval: PING_INTERVAL_MS,
      maxPingOut: MAX_PING_OUT,
      noAsyncTraces: true,
    });
  const nc = await dialUntil(dial, wait);

  let connected = true;
  let maxPayloadBytes = nc.info?.max_payload ?? 0;
  const lost = new Set<() => void>();

  function follow(status: Status) {
    switch (status.type) {
      case 'disconnect':
        // Every refused attempt to come back is one more "disconnect", and later one more "reconnect".
        if (!connected) break;
        connected = false;
        onStatus({ type: 'disconnected', lane });
        for (const listener of [...lost]) listener();
        break;
      case 'reconnect':
        if (connected) break;
        connected = true;
        refused = false;
        maxPayloadBytes = nc.info?.max_payload ?? maxPayloadBytes;
        onStatus({ type: 'connected', lane });
        break;
      case 'staleConnection':
        onStatus({ type: 'stale', lane });
        dropSocket(nc);
        break;
      case 'error':
        if (status.error instanceof errors.PermissionViolationError) {
          const { operation, subject } = status.error;
          onStatus({ type: 'forbidden', lane, operation, subject });
        } else if (status.error instanceof errors.AuthorizationError) {
          refused = true;
          onStatus({ type: 'credentials_refused', lane });
        }
        break;
      case 'close':
        connected = false;
        onStatus({ type: 'closed', lane });
    }
  }
  // The library keeps the listing of states open until it is closed, so this loop ends with the connection.
  (async () => {
    for await (const status of nc.status()) follow(status);
  })();
  onStatus({ type: 'connected', lane });

  return {
    nc,
    isConnected: () => connected && !nc.isClosed(),
    maxPayloadBytes: () => maxPayloadBytes,
    onLost: (listener) => {
      lost.add(listener);
      return () => lost.delete(listener);
    },
    ping: (pingWait) =>
      waitFor(nc.rtt(), pingWait).then(
        () => connected,
        () => false,
      ),
    close: async (timeoutMs) => {
      // Draining waits for a server that may be gone; closing does not.
      await waitFor(nc.drain(), { timeoutMs }).catch(() => undefined);
      await nc.close();
    },
  };
}

// The library's own waiting for a first connection can be neither aborted nor bounded, and repeats a refused password.
async function dialUntil(dial: () => Promise<NatsConnection>, { timeoutMs, signal }: Wait): Promise<NatsConnection> {
  const giveUp = AbortSignal.any([AbortSignal.timeout(checkTimeout(timeoutMs)), ...(signal ? [signal] : [])]);
  while (true) {
    const attempt = dial();
    try {
      return await waitFor(attempt, { timeoutMs: DIAL_MS * 2, signal: giveUp });
    } catch (error) {
      if (error instanceof errors.AuthorizationError) throw error;
      attempt.then((late) => late.close()).catch(() => undefined);
      await sleep(RECONNECT_MS, undefined, { signal: giveUp }).catch(() => {
        throw new WaitError(signal?.aborted ? 'aborted' : 'timeout', { cause: error });
      });
    }
  }
}

// A stale connection is closed by the library with a last write, which never ends while unsent bytes fill the
// socket: the client then hangs on a frozen or unreachable server for ever. The socket itself is not public.
function dropSocket(nc: NatsConnection) {
  const inner = nc as unknown as { protocol?: { transport?: { socket?: { destroy(): void } } } };
  inner.protocol?.transport?.socket?.destroy();
}
