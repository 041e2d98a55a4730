// Answers the commands for one session on the bus: its own commands, those that move files, and the connections of
// programs.

import { type Bus, fileCommand, programOpen, type Responder, sessionCommand } from '@pilothouse/bus';
import { noLease, StepFailure } from '../common/failure.ts';
import { failed } from '../session/reply.ts';
import type { Session } from '../session/session.ts';
import { createProgramConnections } from './program-connections.ts';
import type { SessionAddress } from './reports.ts';

export type Responders = {
  ready(options: { timeoutMs: number }): Promise<unknown>;
  /** Takes no more commands, and waits for the answers to those in hand. */
  close(options?: { timeoutMs: number }): Promise<unknown>;
};

type Options = {
  bus: Bus;
  to: SessionAddress;
  session: Session;
  isHeld: () => boolean;
  /** Whether the session's browser is being closed. */
  isEnding: () => boolean;
};

export function openResponders({ bus, to, session, isHeld, isEnding }: Options): Responders {
  const refusal = (isRead = false) => {
    if (!isHeld() && !isRead) return failed(noLease());
    return isEnding() ? failed(new StepFailure('no_session', 'the browser is being closed')) : undefined;
  };
  const refusalOfProgram = () => {
    const head = refusal()?.head;
    return head?.ok === false ? head : undefined;
  };
  const programs = createProgramConnections({ bus, to, session });
  const responders: Responder[] = [
    bus.respond(
      sessionCommand,
      to,
      async (message) =>
        // The answer to a command that was done before is only read.
        refusal(message.type === 'answer') ?? session.answer(message),
    ),
    bus.respond(fileCommand, to, async (message) => refusal() ?? session.files.answer(message)),
    bus.respond(programOpen, to, async (message) => refusalOfProgram() ?? programs.open(message)),
  ];
  return {
    ready: (options) => Promise.all(responders.map((responder) => responder.ready(options))),
    close(options) {
      programs.close();
      return Promise.all(responders.map((responder) => responder.close(options)));
    },
  };
}
