// The socket of one program: its messages to the host that has the browser, and back. A program that does not read is cut
// off before it fills the memory of this process.

import { type Bus, createProgramLink, programIn, programOut } from '@pilothouse/bus';
import type { HostClient } from '@pilothouse/fleet';
import { WebSocket } from 'ws';

/** What is held for a program that does not read. */
export const maxUnreadBytes = 16 * 1024 * 1024;
const maxAnswerBytes = 256 * 1024 * 1024;
/** What a program may say before its browser is there. */
const maxEarlyBytes = 1024 * 1024;
const openMs = 8000;
/** A host that is gone says nothing: its program is to connect again soon. */
const silentMs = 4000;

/** Of the protocol of sockets. */
export const closeCodes = { goingAway: 1001, tooSlow: 1008, tryAgain: 1013 } as const;

type Options = {
  bus: Bus;
  hosts: Pick<HostClient, 'openProgram'>;
  socket: WebSocket;
  connectionId: string;
  sessionId: string;
  whileDriven: 'fail' | 'wait';
};

export type ProgramSocket = {
  /** Connects it to the browser at this host. False where the host does not take it. */
  attach(hostId: string): Promise<boolean>;
  close(code: number, reason: string): void;
};

export function createProgramSocket({
  bus,
  hosts,
  socket,
  connectionId,
  sessionId,
  whileDriven,
}: Options): ProgramSocket {
  const early: string[] = [];
  let earlyBytes = 0;
  let send: ((text: string) => void) | undefined;
  let end: (reason: string) => void = () => {};

  function close(code: number, reason: string): void {
    socket.close(code, reason.slice(0, 100));
  }
  function deliver(text: string): void {
    if (socket.bufferedAmount > maxUnreadBytes) socket.terminate();
    else if (socket.readyState === WebSocket.OPEN) socket.send(text);
  }

  socket.on('message', (data, isBinary) => {
    const text = isBinary ? '' : data.toString();
    earlyBytes += send ? 0 : text.length;
    if (send) send(text);
    else if (earlyBytes > maxEarlyBytes) close(closeCodes.tooSlow, 'too much was said before the browser was there');
    else early.push(text);
  });
  socket.on('close', () => end('the program left'));

  return {
    async attach(hostId) {
      const at = { host_id: hostId, session_id: sessionId, connection_id: connectionId };
      const over = new AbortController();
      let isAttached = false;
      const link = createProgramLink({
        publish: (piece) => bus.publish(programIn, at, piece).ok,
        onMessage: deliver,
        onEnd(reason) {
          over.abort();
          if (isAttached) close(closeCodes.goingAway, reason);
        },
        maxMessageBytes: maxAnswerBytes,
        silentMs,
      });
      const heard = bus.subscribe(programOut, at, link.take, { signal: over.signal });
      const request = { connection_id: connectionId, while_driven: whileDriven };
      const opened = await heard
        .ready({ timeoutMs: openMs })
        .then(() => hosts.openProgram({ hostId, sessionId }, request, { timeoutMs: openMs, signal: over.signal }))
        .catch(() => undefined);
      if (opened?.type !== 'done' || over.signal.aborted) {
        link.end('it could not be opened');
        return false;
      }
      isAttached = true;
      end = link.end;
      if (socket.readyState !== WebSocket.OPEN) link.end('the program left');
      for (const text of early.splice(0)) link.send(text);
      send = link.send;
      return true;
    },
    close,
  };
}
