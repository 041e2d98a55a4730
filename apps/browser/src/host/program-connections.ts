// The connections of programs to the browser of one session: each is a door of the session at one end and the bus at the
// other. A connection that loses a message, or whose server is silent, ends: its program connects again.

import {
  type Bus,
  createProgramLink,
  type ProgramLink,
  type ProgramOpen,
  type ProgramOpened,
  type ProgramRules,
  programIn,
  programOut,
} from '@pilothouse/bus';
import { bestEffort } from '../common/best-effort.ts';
import { failureOf } from '../common/failure.ts';
import type { Session } from '../session/session.ts';
import type { SessionAddress } from './reports.ts';

const readyMs = 2000;
/** Of one message of a program: a picture that it puts into a page is the largest. */
const maxMessageBytes = 16 * 1024 * 1024;
/** A server that is gone has closed its socket long before; one that is slow keeps its program. */
const silentMs = 15_000;

export type ProgramConnections = {
  open(request: ProgramOpen): Promise<ProgramOpened>;
  close(): void;
};

type Options = { bus: Bus; to: SessionAddress; session: Pick<Session, 'openDoor'> };

export function createProgramConnections({ bus, to, session }: Options): ProgramConnections {
  const links = new Map<string, ProgramLink>();

  async function connect({ connection_id, while_driven, reports, turns, rules }: ProgramOpen): Promise<void> {
    links.get(connection_id)?.end('it was opened again');
    const at = { ...to, connection_id };
    const closing = new AbortController();
    const early: string[] = [];
    let take = (text: string): void => {
      early.push(text);
    };
    let closeDoor: () => Promise<void> = async () => {};
    let tellActs: () => Promise<void> = async () => {};
    let stop: () => Promise<void> = async () => {};
    let isLeaving = false;
    let current = rules;
    let setRules = (next: ProgramRules): void => {
      current = next;
    };
    /** The program does nothing more, whatever still waits; the server hears of the last acts before it hears that it is over. */
    const finish = async (reason: string) => {
      isLeaving = true;
      take = () => {};
      await bestEffort('stop a program that left', stop());
      await bestEffort('tell what a program did last', tellActs());
      link.end(reason);
    };
    const link = createProgramLink({
      publish: (piece) => bus.publish(programOut, at, piece).ok,
      onMessage: (text) => take(text),
      onRules: (next) => setRules(next),
      onLeave: () => void finish('the program left'),
      onEnd() {
        links.delete(connection_id);
        closing.abort();
        void bestEffort('close the door of a program', closeDoor());
      },
      ...{ maxMessageBytes, turns, silentMs },
    });
    links.set(connection_id, link);
    const heard = bus.subscribe(programIn, at, link.take, { signal: closing.signal });
    try {
      await heard.ready({ timeoutMs: readyMs });
      const door = await session.openDoor({
        deliver: link.send,
        onEnd: () => void finish('the program left, or the browser is gone'),
        whileDriven: while_driven,
        ...(current && { rules: current }),
        ...(turns && { roundTrip: link.roundTrip }),
        ...(reports && { onActs: (acts, epoch) => link.report({ epoch, acts }) }),
      });
      closeDoor = door.close;
      tellActs = door.tellActs;
      stop = door.stop;
      if (current && current !== rules) door.setRules(current);
      setRules = door.setRules;
      if (isLeaving || closing.signal.aborted) return await door.close();
      take = door.take;
      for (const text of early) door.take(text);
    } catch (error) {
      link.end('it could not be opened');
      throw error;
    }
  }

  return {
    open: (request) =>
      connect(request).then(
        () => ({ ok: true, reports: true, judges: true }) as const,
        (error) => {
          const { failure, message } = failureOf(error);
          return { ok: false, failure, message, has_touched: false } as const;
        },
      ),
    close() {
      for (const link of links.values()) link.end('the browser of the session ends');
    },
  };
}
