// Commands of a guest that are answered later: reads that wait until it drives, titles that are asked for, and refusals for
// clients that do not know a page as it is yet. No act may ever be kept here to be done later.

import { asTitleRead, type FenceOutcome } from '../fence/while-driven.ts';
import { errors, type GuestCommand } from './guest-command.ts';

/** Of reads that wait until the client drives, and of refusals. */
const maxKept = 256;
/** The characters of them: what clients say first in each page is long. */
const maxKeptChars = 8 * 1024 * 1024;

export type Refusal = Extract<FenceOutcome, { kind: 'answer' | 'error' }>;
type Late = { command: GuestCommand; outcome: Refusal };

export type KeptCommands = {
  /** A read that is done when the guest drives. */
  hold(command: GuestCommand): void;
  /** False where too many are kept: it has to be refused now. */
  refuseLater(command: GuestCommand, outcome: Refusal): boolean;
  /** Answers those who asked for the title of this page. */
  answerTitles(sessionId: string, result: object): void;
  /** The refusals for this page, or for all. It is asked once. */
  takeLate(sessionId?: string): Late[];
  /** The reads. It is asked once. */
  takeHeld(): GuestCommand[];
};

export function createKeptCommands(say: (command: GuestCommand, message: object) => void): KeptCommands {
  let held: GuestCommand[] = [];
  let titles: GuestCommand[] = [];
  let late: Late[] = [];
  const isFull = (kept: readonly GuestCommand[], { size = 0 }: GuestCommand) =>
    kept.length >= maxKept || kept.reduce((sum, one) => sum + (one.size ?? 0), size) > maxKeptChars;
  return {
    hold(command) {
      const title = asTitleRead(command.method, command.params);
      if (isFull([...held, ...titles], command))
        say(command, errors.refused('too many commands wait for this session'));
      // Contexts may be others by then.
      else if (title) titles.push({ ...command, method: 'Runtime.evaluate', params: title });
      else held.push(command);
    },
    refuseLater(command, outcome) {
      if (
        isFull(
          late.map((one) => one.command),
          command,
        )
      )
        return false;
      late.push({ command, outcome });
      return true;
    },
    answerTitles(sessionId, result) {
      const { asked = [], others = [] } = Object.groupBy(titles, (one) =>
        one.sessionId === sessionId ? 'asked' : 'others',
      );
      titles = others;
      for (const command of asked) say(command, { result });
    },
    takeLate(sessionId) {
      const { meant = [], others = [] } = Object.groupBy(late, ({ command }) =>
        sessionId === undefined || command.sessionId === sessionId ? 'meant' : 'others',
      );
      late = others;
      return meant;
    },
    takeHeld() {
      const taken = [...held, ...titles];
      [held, titles] = [[], []];
      return taken;
    },
  };
}
