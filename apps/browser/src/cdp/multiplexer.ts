// One pipe for several: the host itself, and guests that have a browser session of their own. It must never give one of
// them a message of another. What a guest may say and see is decided elsewhere.

import type { ConnectOverCDPTransport } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, within } from '../common/deadline.ts';
import { createHostTransport } from './host-transport.ts';
import { openPipe, type PipeStreams } from './pipe.ts';
import { idOf, methodOf, sessionOf } from './raw-message.ts';

/** The host counts from 1, and does not come this far in the life of a browser. */
const firstGuestId = 2 ** 30;
const lastGuestId = 2 ** 31 - 1;

export type Command = { method: string; params?: object; sessionId?: string };

/** One more client of the pipe. */
export type Guest = {
  /** The id of the guest's browser session, from which it opens every other session. */
  root: string;
  /** Whether a session belongs to this guest: its browser session, or one that was opened from a session of the guest. */
  owns(sessionId: string): boolean;
  /** Sends a command; without a session, in that of the browser. The answer comes as Chromium wrote it. */
  send(command: Command, onAnswer: (answer: Buffer) => void): void;
  /** Ends all its sessions, with everything that they had switched on. */
  leave(deadline: Deadline): Promise<void>;
};

export type GuestListeners = {
  onEvent(event: Buffer, sessionId: string): void;
  /** Chromium is gone, or a message could not be taken for the guest. Not called for a guest that left. */
  onClose(): void;
};

export type Multiplexer = {
  /** For the browser library. */
  host: ConnectOverCDPTransport;
  openGuest(listeners: GuestListeners, deadline: Deadline): Promise<Guest>;
};

type Owner = { guest: { root: string }; listeners: GuestListeners };
type Sessions = Map<string, Owner & { parent: string | undefined }>;

export function createMultiplexer(streams: PipeStreams, end: () => Promise<void>): Multiplexer {
  const sessions: Sessions = new Map();
  const guests = new Set<GuestListeners>();
  const host = createHostTransport({ send: (message) => pipe.send(message), end });
  const pipe = openPipe(streams, {
    onMessage: route,
    onTooLong: (head, tail) => endTooLong(head, tail),
    onClose() {
      const left = [...guests];
      sessions.clear();
      guests.clear();
      answers.clear();
      for (const { onClose } of left) onClose();
      host.closed();
    },
  });
  const answers = createAnswers((message) => pipe.send(message));
  const guarded = createGuard(endGuest);
  const endTooLong = createTooLong({ sessions, answers, endGuest, deliver: host.deliver });

  function route(message: Buffer): void {
    const id = idOf(message);
    const isAnswer = id !== undefined && id >= firstGuestId;
    const sessionId = sessions.size > 0 && !isAnswer ? sessionOf(message) : undefined;
    const owner = sessionId === undefined ? undefined : sessions.get(sessionId);
    if (isAnswer) answers.take(id, message);
    else if (!owner || sessionId === undefined) host.deliver(message);
    else {
      const gone = follow(sessions, message, sessionId);
      guarded(owner, () => owner.listeners.onEvent(message, sessionId));
      answers.sessionsGone(gone);
    }
  }

  function endGuest({ guest, listeners }: Owner): void {
    if (!guests.delete(listeners)) return;
    answers.sessionsGone(forget(sessions, guest.root));
    if (!pipe.isClosed()) void bestEffort('end the sessions of a program', answers.ask(detach(guest.root)));
    listeners.onClose();
  }

  function guestOf(owner: Owner): Guest {
    const { guest, listeners } = owner;
    const owns = (sessionId: string) => sessions.get(sessionId)?.guest === guest;
    return {
      root: guest.root,
      owns,
      send({ sessionId = guest.root, ...command }, onAnswer) {
        if (!owns(sessionId)) throw new Error('the session is not of this guest');
        answers.send({ ...command, sessionId }, (answer) => {
          if (guests.has(listeners)) guarded(owner, () => onAnswer(answer));
        });
      },
      async leave(until) {
        if (!guests.delete(listeners)) return;
        answers.sessionsGone(forget(sessions, guest.root));
        if (!pipe.isClosed()) await within(until, answers.ask(detach(guest.root)));
      },
    };
  }

  return {
    host: host.transport,
    async openGuest(listeners, deadline) {
      const attach = answers.ask<{ sessionId: string }>({ method: 'Target.attachToBrowserTarget' });
      // One that comes too late is not left behind.
      const { sessionId } = await within(deadline, attach).catch((error) => {
        attach.then((late) => answers.ask(detach(late.sessionId))).catch(() => undefined);
        throw error;
      });
      const owner = { guest: { root: sessionId }, listeners };
      sessions.set(sessionId, { ...owner, parent: undefined });
      guests.add(listeners);
      return guestOf(owner);
    },
  };
}

/** What goes wrong with a message of a guest ends that guest: the host has many others, and has to live. */
const createGuard = (end: (owner: Owner) => void) => (owner: Owner, take: () => void) => {
  try {
    take();
  } catch (error) {
    void bestEffort('take a message for a program', Promise.reject(error));
    end(owner);
  }
};

type TooLong = {
  sessions: Sessions;
  answers: ReturnType<typeof createAnswers>;
  endGuest(owner: Owner): void;
  deliver(answer: Buffer): void;
};

/** No page may end the host by what it says: its program ends, or the library gets an error. An event for it is missed. */
const createTooLong =
  ({ sessions, answers, endGuest, deliver }: TooLong) =>
  (head: Buffer, tail: Buffer): void => {
    const id = idOf(head);
    const sessionId = sessionOf(tail);
    const isAnswer = id !== undefined && id >= firstGuestId;
    const owner = sessions.get((isAnswer ? answers.sessionOf(id) : sessionId) ?? '');
    if (owner) endGuest(owner);
    if (owner || id === undefined) return;
    const error = { code: -32000, message: 'the answer is too long' };
    const answer = Buffer.from(JSON.stringify({ id, error, ...(sessionId && { sessionId }) }));
    if (isAnswer) answers.take(id, answer);
    else deliver(answer);
  };

/** Sessions come and go by events of those that they belong to. Returns those that went. */
function follow(sessions: Sessions, event: Buffer, parent: string): string[] {
  const method = methodOf(event);
  if (method !== 'Target.attachedToTarget' && method !== 'Target.detachedFromTarget') return [];
  const { params } = JSON.parse(event.toString()) as { params: { sessionId: string } };
  const owner = sessions.get(parent);
  if (method === 'Target.attachedToTarget' && owner) sessions.set(params.sessionId, { ...owner, parent });
  return method === 'Target.detachedFromTarget' ? forget(sessions, params.sessionId) : [];
}

const detach = (sessionId: string): Command => ({ method: 'Target.detachFromTarget', params: { sessionId } });

/** Forgets a session, and every session that was opened from it. Returns all of them. */
function forget(sessions: Sessions, sessionId: string): string[] {
  sessions.delete(sessionId);
  const children = [...sessions].filter(([, { parent }]) => parent === sessionId);
  return [sessionId, ...children.flatMap(([child]) => forget(sessions, child))];
}

/** Numbers commands of guests, and finds who waits for an answer. */
function createAnswers(send: (message: string) => void) {
  const waiting = new Map<number, { onAnswer: (answer: Buffer) => void; sessionId: string | undefined }>();
  const ends = new Set<() => void>();
  let last = firstGuestId - 1;

  function sendNumbered(command: Command, onAnswer: (answer: Buffer) => void): void {
    do last = last >= lastGuestId ? firstGuestId : last + 1;
    while (waiting.has(last));
    // What cannot be written is not waited for.
    const text = JSON.stringify({ id: last, ...command });
    send(text);
    waiting.set(last, { onAnswer, sessionId: command.sessionId });
  }

  return {
    send: sendNumbered,
    /** For commands of our own. */
    ask<T>(command: Command): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const onEnd = () => reject(new Error('Chromium is gone'));
      ends.add(onEnd);
      sendNumbered(command, (answer) => {
        ends.delete(onEnd);
        const { result, error } = JSON.parse(answer.toString()) as { result: T; error?: { message: string } };
        if (error) reject(new Error(`${command.method}: ${error.message}`));
        else resolve(result);
      });
      return promise;
    },
    sessionOf: (id: number) => waiting.get(id)?.sessionId,
    take(id: number, answer: Buffer): void {
      const asked = waiting.get(id);
      waiting.delete(id);
      asked?.onAnswer(answer);
    },
    /** Chromium answers no more commands of these sessions: their senders get an error. */
    sessionsGone(gone: readonly string[]): void {
      for (const [id, { onAnswer, sessionId }] of gone.length > 0 ? [...waiting] : []) {
        if (sessionId === undefined || !gone.includes(sessionId)) continue;
        waiting.delete(id);
        const error = { code: -32001, message: 'Session with given id not found.' };
        onAnswer(Buffer.from(JSON.stringify({ id, error, sessionId })));
      }
    },
    clear(): void {
      waiting.clear();
      for (const onEnd of ends) onEnd();
      ends.clear();
    },
  };
}
