// Sessions of the host's own to pages, straight over the pipe: what is asked there does not take the way through the browser library,
// which costs more than the page takes to answer.

import type { CDPSession } from 'playwright-core';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, startDeadline, within } from '../common/deadline.ts';
import type { Command, Guest, Multiplexer } from './multiplexer.ts';
import { methodOf } from './raw-message.ts';

const openMs = 5000;
const leaveMs = 2000;

/** What can be asked in it. It hears no events, so nothing may be switched on. */
export type PageSession = Pick<CDPSession, 'send'>;

export type PageSessions = {
  /** The session of the page of this target, which is opened once. Rejects where there is no such page. */
  of(targetId: string): Promise<PageSession>;
  /** Ends all of them. What was asked and not answered rejects. */
  close(): void;
};

export function createPageSessions(openGuest: Multiplexer['openGuest'], signal: AbortSignal): PageSessions {
  const sessions = new Map<string, Promise<PageSession>>();
  /** By the session. */
  const targets = new Map<string, string>();
  let line: Line | undefined;
  const soon = (): Deadline => startDeadline(openMs, signal);

  function hangUp(): void {
    line?.asked.end();
    line = undefined;
    sessions.clear();
    targets.clear();
  }

  function currentLine(): Line {
    if (line) return line;
    const opened: Line = { guest: openGuest({ onEvent, onClose: hangUp }, soon()), asked: createAsked() };
    opened.guest.catch(() => {
      if (line === opened) hangUp();
    });
    line = opened;
    return opened;
  }

  /** Of all events only the end of a session matters: its page is asked in a new one. */
  function onEvent(event: Buffer): void {
    if (methodOf(event) !== 'Target.detachedFromTarget') return;
    const { params } = JSON.parse(event.toString()) as { params: { sessionId: string } }; // as the protocol has it
    sessions.delete(targets.get(params.sessionId) ?? '');
    targets.delete(params.sessionId);
  }

  async function open(targetId: string): Promise<PageSession> {
    const { guest, asked } = currentLine();
    const owner = await guest;
    const attach = { method: 'Target.attachToTarget', params: { targetId, flatten: true } };
    const { sessionId } = await within(soon(), asked.ask<{ sessionId: string }>(owner, attach));
    targets.set(sessionId, targetId);
    const send = (method: string, params: object = {}) => asked.ask(owner, { method, params, sessionId });
    // Each command has types of its own, which a pipe does not know.
    return { send: send as PageSession['send'] };
  }

  return {
    of(targetId) {
      const known = sessions.get(targetId);
      if (known) return known;
      const opened = open(targetId);
      sessions.set(targetId, opened);
      opened.catch(() => {
        if (sessions.get(targetId) === opened) sessions.delete(targetId);
      });
      return opened;
    },
    close() {
      const left = line?.guest;
      hangUp();
      const gone = left?.then((one) => one.leave(startDeadline(leaveMs, new AbortController().signal)));
      if (gone) void bestEffort('end sessions to pages', gone);
    },
  };
}

/** A guest of our own, and what it was asked. */
type Line = { guest: Promise<Guest>; asked: ReturnType<typeof createAsked> };
type Answer<T> = { result: T; error?: { message: string } };

/** Questions, until they are answered: a guest that left hears no answer. */
function createAsked() {
  const waiting = new Set<(error: Error) => void>();
  let isOver = false;
  const over = () => new Error('the session to the page is over');
  return {
    async ask<T>(guest: Guest, command: Command): Promise<T> {
      if (isOver) throw over();
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      guest.send(command, (answer) => {
        waiting.delete(reject);
        const { result, error } = JSON.parse(answer.toString()) as Answer<T>; // as the protocol has it
        if (error) reject(new Error(`${command.method}: ${error.message}`));
        else resolve(result);
      });
      waiting.add(reject);
      return promise;
    },
    end(): void {
      isOver = true;
      for (const reject of waiting) reject(over());
      waiting.clear();
    },
  };
}
