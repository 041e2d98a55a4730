// Which connections the guard serves: those of its own browser. It must never serve another user of this machine.

import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { userOfClient } from './peer-user.ts';

export type Admission = {
  /** Each new connection, before anything is read from it. */
  add(socket: Socket): void;
  /** Whether our own browser opened this connection. */
  isOurs(socket: Duplex): Promise<boolean>;
  /** Cuts every connection, served or not. */
  destroyAll(): void;
};

export function createAdmission(clientUid: number | undefined): Admission {
  const verdicts = new WeakMap<Duplex, Promise<boolean>>();
  const sockets = new Set<Socket>();

  return {
    add(socket) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      verdicts.set(
        socket,
        userOfClient(socket).then(
          (uid) => uid !== undefined && uid === clientUid,
          // A client whose user cannot be read is not ours.
          () => false,
        ),
      );
    },
    isOurs: (socket) => verdicts.get(socket) ?? Promise.resolve(false),
    destroyAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
