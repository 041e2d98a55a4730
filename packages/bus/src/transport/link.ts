// One NATS connection that reconnects by itself, and knows at any moment whether it is up.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Authenticator, errors, type NatsConnection, type Status } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { checkTimeout, type Wait, WaitError, waitFor } from '../wire/deadline.ts';
import type { Lane } from '../wire/define.ts';
import { inboxPrefix } from '../wire/subjects.ts';
import { createPasswords, type PasswordSource, type Passwords } from './passwords.ts';

export interface Credentials {
  /** The addresses of the nodes: a connection that breaks goes to another one. With `tls://` nothing is said in plain text. */
  servers: string | string[];
  user: string;
  /** One, or the new and the former with a comma between while they are replaced. */
  password: PasswordSource;
  name: string;
}

/** What a member without a password shows for the nonce of a connection. */
export type Prove = (nonce?: string) => { nkey: string; sig: string; auth_token: string };
/** Of a host that agents let in. It tries again when it is refused: there may be no agent yet, or no place. */
export type Proof = Omit<Credentials, 'password'> & { prove: Prove };

export type BusStatus =
  | { type: 'connected' | 'disconnected' | 'stale' | 'credentials_refused' | 'closed'; lane: Lane }
  | { type: 'forbidden'; lane: Lane; operation: 'publish' | 'subscription'; subject: string };

export interface Link {
  readonly nc: NatsConnection;
  isConnected(): boolean;
  /** How long ago the connection came back; 0 while it is down, Infinity where it never broke. */
  steadyForMs(): number;
  maxPayloadBytes(): number;
  /** Calls the listener each time the connection breaks; returns a function that removes it. */
  onLost(listener: () => void): () => void;
  /** The same each time it is back. */
  onBack(listener: () => void): () => void;
  /** Whether the server answers; a dead connection may still look connected. */
  ping(wait: Wait): Promise<boolean>;
  close(timeoutMs: number): Promise<void>;
}

const reconnectMs = 100;
const reconnectJitterMs = 50;
// Refused credentials rarely become valid within a moment, and every attempt is a line in the server's log.
const refusedReconnectMs = 2000;
const dialMs = 2000;
// With the library's default of two minutes, a process would talk to a dead server for six.
const pingIntervalMs = 2000;
const maxPingOut = 2;

type SignIn = Omit<Passwords, 'offer'> & { authenticator: Authenticator; isPatient: boolean };

function signInOf(user: string, secret: { password: PasswordSource } | { prove: Prove }): SignIn {
  if ('password' in secret) {
    const { offer, ...passwords } = createPasswords(secret.password);
    return { ...passwords, authenticator: () => ({ user, pass: offer() }), isPatient: false };
  }
  let isRefused = false;
  return {
    authenticator: secret.prove,
    refuse() {
      isRefused = true;
    },
    accept() {
      isRefused = false;
    },
    areAllRefused: () => isRefused,
    isPatient: true,
  };
}

export async function openLink(
  lane: Lane,
  { servers, user, name, ...secret }: Credentials | Proof,
  onStatus: (status: BusStatus) => void,
  wait: Wait,
): Promise<Link> {
  const signIn = signInOf(user, secret);
  const nodes = [servers].flat();
  const dial = () =>
    connect({
      servers: nodes,
      // The library takes the scheme of an address for a hint: a server that offers no TLS would be told the password in plain text.
      ...(nodes.some((node) => node.startsWith('tls:')) && { tls: {} }),
      authenticator: signIn.authenticator,
      // Nodes tell clients addresses of their own network, which no certificate names.
      ignoreClusterUpdates: true,
      name: `${name} ${lane}`,
      inboxPrefix: inboxPrefix(user),
      timeout: dialMs,
      maxReconnectAttempts: -1,
      reconnectDelayHandler: () =>
        signIn.areAllRefused() ? refusedReconnectMs : reconnectMs + Math.floor(Math.random() * reconnectJitterMs),
      // After two refusals the library would close for good; a server restarted with a wrong file must not end this
      // process.
      ignoreAuthErrorAbort: true,
      pingInterval: pingIntervalMs,
      maxPingOut,
      noAsyncTraces: true,
    });
  // Each node may be the one that hangs.
  const attemptMs = dialMs * (nodes.length + 1);
  const nc = await dialUntil(dial, { signIn, attemptMs, wait });
  signIn.accept();
  const connection = followStatus(nc, { lane, onStatus, signIn });
  onStatus({ type: 'connected', lane });

  return {
    nc,
    isConnected: () => connection.isConnected() && !nc.isClosed(),
    steadyForMs: () => (nc.isClosed() ? 0 : connection.steadyForMs()),
    maxPayloadBytes: connection.maxPayloadBytes,
    onLost: connection.onLost,
    onBack: connection.onBack,
    ping: (pingWait) => waitFor(nc.rtt(), pingWait).then(connection.isConnected, () => false),
    close: async (timeoutMs) => {
      // Draining waits for a server that may be gone; closing does not.
      await waitFor(nc.drain(), { timeoutMs }).catch(() => undefined);
      await nc.close();
    },
  };
}

type StatusOptions = { lane: Lane; onStatus: (status: BusStatus) => void; signIn: SignIn };

/** Keeps track of whether the connection is up, and reports each change. */
function followStatus(nc: NatsConnection, { lane, onStatus, signIn }: StatusOptions) {
  let connected = true;
  let reconnectedAt = Number.NEGATIVE_INFINITY;
  let maxPayloadBytes = nc.info?.max_payload ?? 0;
  const [lost, back] = [createListeners(), createListeners()];

  function update(status: Status) {
    switch (status.type) {
      case 'disconnect':
        leaveDeadNode(nc);
        // Every refused attempt to reconnect is one more "disconnect", and later one more "reconnect".
        if (!connected) break;
        connected = false;
        onStatus({ type: 'disconnected', lane });
        lost.call();
        break;
      case 'reconnect':
        if (connected) break;
        connected = true;
        reconnectedAt = performance.now();
        signIn.accept();
        maxPayloadBytes = nc.info?.max_payload ?? maxPayloadBytes;
        onStatus({ type: 'connected', lane });
        back.call();
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
          signIn.refuse();
          onStatus({ type: 'credentials_refused', lane });
        }
        break;
      case 'close':
        connected = false;
        onStatus({ type: 'closed', lane });
    }
  }
  // The library ends this iteration when the connection is closed.
  (async () => {
    for await (const status of nc.status()) update(status);
  })();

  return {
    isConnected: () => connected,
    steadyForMs: () => (connected ? performance.now() - reconnectedAt : 0),
    maxPayloadBytes: () => maxPayloadBytes,
    onLost: lost.add,
    onBack: back.add,
  };
}

function createListeners() {
  const all = new Set<() => void>();
  return {
    add(listener: () => void) {
      all.add(listener);
      return () => void all.delete(listener);
    },
    call(): void {
      for (const listener of [...all]) listener();
    },
  };
}

type Dialing = { signIn: SignIn; attemptMs: number; wait: Wait };

// The library's own wait for a first connection can be neither aborted nor bounded, and retries a refused password.
async function dialUntil(
  dial: () => Promise<NatsConnection>,
  { signIn, attemptMs, wait }: Dialing,
): Promise<NatsConnection> {
  const { timeoutMs, signal } = wait;
  const giveUp = AbortSignal.any([AbortSignal.timeout(checkTimeout(timeoutMs)), ...(signal ? [signal] : [])]);
  while (true) {
    const attempt = dial();
    try {
      return await waitFor(attempt, { timeoutMs: attemptMs, signal: giveUp });
    } catch (error) {
      const isRefused = error instanceof errors.AuthorizationError;
      if (isRefused) {
        signIn.refuse();
        if (!signIn.areAllRefused()) continue;
        if (!signIn.isPatient) throw error;
      }
      attempt.then((late) => late.close()).catch(() => undefined);
      await sleep(isRefused ? refusedReconnectMs : reconnectMs, undefined, { signal: giveUp }).catch(() => {
        throw new WaitError(signal?.aborted ? 'aborted' : 'timeout', { cause: error });
      });
    }
  }
}

/** What is not public of the library. `connectError` is there while a server is greeted. */
type Inner = {
  protocol?: {
    transport?: { isClosed?: boolean; socket?: { destroy(): void } };
    connectError?: (error: Error) => void;
  };
};
const innerOf = (nc: NatsConnection) => (nc as unknown as Inner).protocol;

// A stale connection is closed by the library with a last write, which never ends while unsent bytes fill the
// socket: the client then hangs on a frozen or unreachable server forever.
function dropSocket(nc: NatsConnection) {
  innerOf(nc)?.transport?.socket?.destroy();
}

// Where a connection breaks before the server has greeted it back, the library waits for the greeting until `dialMs` is over,
// and only then tries another server.
function leaveDeadNode(nc: NatsConnection) {
  const inner = innerOf(nc);
  if (inner?.transport?.isClosed) inner.connectError?.(new Error('the server closed the connection in its greeting'));
}
