// A connection to an address that was checked. The name is asked for once; what is connected to is what was judged.

import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { startDeadline, within } from '../common/deadline.ts';
import type { Resolve } from './dns.ts';
import type { Policy, RefusalReason, Target } from './rules/domains.ts';

export class RefusedError extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason) {
    super(`refused: ${reason}`);
    this.reason = reason;
  }
}

/** Begins a connection to one of these addresses, whichever answers first, and to nothing else. */
export type Connect = (addresses: readonly string[], port: number) => Socket;

export type Dial = (target: Target) => Promise<Socket>;

type Options = {
  policy: () => Policy;
  resolve: Resolve;
  connect: Connect;
  resolveMs: number;
  connectMs: number;
  signal: AbortSignal;
};

export function createDial({ policy, resolve, connect, resolveMs, connectMs, signal }: Options): Dial {
  return async (target) => {
    refuseIf(policy().judgeName(target));
    const addresses = await within(startDeadline(resolveMs, signal), resolve(target.host));
    if (addresses.length === 0) throw new Error('the name has no address');
    refuseIf(policy().judgeAddresses(addresses, target.port));
    const socket = connect(addresses, target.port);
    const connected = new Promise<void>((done, fail) => socket.once('connect', done).once('error', fail));
    try {
      await within(startDeadline(connectMs, signal), connected);
    } catch (error) {
      socket.on('error', () => undefined).destroy();
      throw error;
    }
    return socket;
  };
}

function refuseIf(reason: RefusalReason | undefined): void {
  if (reason) throw new RefusedError(reason);
}

export function connectTo(addresses: readonly string[], port: number): Socket {
  const checked = addresses.map((address) => ({ address, family: isIP(address) }));
  return connectSocket({
    // Only a label: what it leads to is said by `lookup`, also where there is one address.
    host: 'checked.invalid',
    port,
    lookup: (_name, { all }, done) =>
      all ? done(null, checked) : done(null, checked[0]?.address ?? '', checked[0]?.family),
    autoSelectFamily: true,
    noDelay: true,
  });
}
