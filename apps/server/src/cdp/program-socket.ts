// The socket of one program: its messages to the host that has the browser, and back. A program that does not read is cut
// off before it fills the memory of this process.

import type { Duplex } from 'node:stream';
import {
  type Bus,
  createProgramLink,
  type ProgramReport,
  type ProgramRules,
  programIn,
  programOut,
} from '@pilothouse/bus';
import type { HostClient } from '@pilothouse/fleet';
import { WebSocket } from 'ws';
import { createSocketTurns } from './socket-turns.ts';

/** What is held for a program that does not read; one message that finds nothing unread may be larger. */
export const maxUnreadBytes = 16 * 1024 * 1024;
/** A picture of a very long page has less; the body of an answer may have more, and is cut. */
export const maxAnswerBytes = 64 * 1024 * 1024;
/** What a program may say before its browser is there. */
const maxEarlyBytes = 1024 * 1024;
const openMs = 8000;
/** A host that is gone says nothing: its program is to connect again soon. */
const silentMs = 4000;

/** For the host to tell what a program did last. */
const leaveMs = 2000;

/** Of the protocol of sockets. */
export const closeCodes = { goingAway: 1001, tooSlow: 1008, tryAgain: 1013 } as const;

type Options = {
  bus: Bus;
  hosts: Pick<HostClient, 'openProgram'>;
  socket: WebSocket;
  /** What the socket writes to. */
  wire: Pick<Duplex, 'cork' | 'uncork'>;
  connectionId: string;
  sessionId: string;
  whileDriven: 'fail' | 'wait';
  /** What the program has done, at this host. */
  onReport?(report: ProgramReport, hostId: string): void;
  /** The program has left, and everything that it did was reported. Called once, also where it was never attached. */
  onOver?(): void;
};

export type ProgramSocket = {
  /** Connects it to the browser at this host. False where the host does not take it. */
  attach(hostId: string): Promise<boolean>;
  /** What its acts are held to from now on. It is not attached before the first. */
  setRules(rules: ProgramRules): void;
  close(code: number, reason: string): void;
  /** Cuts it, where its program does not agree to the end. */
  terminate(): void;
};

export function createProgramSocket(options: Options): ProgramSocket {
  const { bus, hosts, socket, connectionId, sessionId, whileDriven, onReport = () => {}, onOver = () => {} } = options;
  const deliver = createDelivery(options);
  const early: string[] = [];
  let earlyBytes = 0;
  let send: ((text: string) => void) | undefined;
  const rules = createCurrentRules();
  /** The program has left: the host tells what is left and ends the connection. */
  let leave = onOver;

  function close(code: number, reason: string): void {
    socket.close(code, reason.slice(0, 100));
  }

  socket.on('message', (data, isBinary) => {
    const text = isBinary ? '' : data.toString();
    earlyBytes += send ? 0 : text.length;
    if (send) send(text);
    else if (earlyBytes > maxEarlyBytes) close(closeCodes.tooSlow, 'too much was said before the browser was there');
    else early.push(text);
  });
  socket.on('close', () => leave());

  return {
    setRules: rules.set,
    async attach(hostId) {
      const given = rules.current();
      if (!given) return false;
      const at = { host_id: hostId, session_id: sessionId, connection_id: connectionId };
      const over = new AbortController();
      let isAttached = false;
      const link = createProgramLink({
        publish: (piece) => bus.publish(programIn, at, piece).ok,
        onMessage: deliver,
        onReport: (report) => onReport(report, hostId),
        onPing: (ping) => socket.readyState === WebSocket.OPEN && socket.ping(ping),
        onEnd(reason) {
          over.abort();
          if (!isAttached) return;
          close(closeCodes.goingAway, reason);
          onOver();
          leave = () => {};
        },
        maxMessageBytes: maxAnswerBytes,
        silentMs,
      });
      const heard = bus.subscribe(programOut, at, link.take, { signal: over.signal });
      const asked = { connection_id: connectionId, while_driven: whileDriven, rules: given };
      const request = { ...asked, reports: true, turns: true };
      const opened = await heard
        .ready({ timeoutMs: openMs })
        .then(() => hosts.openProgram({ hostId, sessionId }, request, { timeoutMs: openMs, signal: over.signal }))
        .catch(() => undefined);
      // A host of an older release would let every act pass.
      if (opened?.type !== 'done' || !opened.reply.judges || over.signal.aborted) {
        link.end('it could not be opened');
        return false;
      }
      isAttached = true;
      socket.on('pong', link.pong);
      const { reports } = opened.reply;
      leave = () => {
        if (!reports) return link.end('the program left');
        link.leave();
        // A host that does not answer is told that it is over.
        setTimeout(() => link.end('the program left'), leaveMs).unref();
      };
      if (socket.readyState !== WebSocket.OPEN) leave();
      rules.follow(given, link.setRules);
      for (const text of early.splice(0)) link.send(text);
      send = link.send;
      return true;
    },
    close,
    terminate: () => socket.terminate(),
  };
}

function createDelivery({ socket, wire }: Pick<Options, 'socket' | 'wire'>): (text: string) => void {
  const turns = createSocketTurns(wire);
  return (text) => {
    turns.sends(text.length);
    const unread = socket.bufferedAmount;
    if (unread > 0 && unread + Buffer.byteLength(text) > maxUnreadBytes) socket.terminate();
    else if (socket.readyState === WebSocket.OPEN) socket.send(text);
  };
}

/** What acts are held to now, and who is told when it changes. */
function createCurrentRules() {
  let rules: ProgramRules | undefined;
  let tell: ((rules: ProgramRules) => void) | undefined;
  return {
    current: () => rules,
    set(next: ProgramRules): void {
      if (JSON.stringify(next) === JSON.stringify(rules)) return;
      rules = next;
      tell?.(next);
    },
    /** Tells also of what changed since `known`. */
    follow(known: ProgramRules, listener: (rules: ProgramRules) => void): void {
      tell = listener;
      if (rules && rules !== known) listener(rules);
    },
  };
}
