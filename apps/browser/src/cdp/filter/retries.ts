// Tells Playwright why an input was refused: whatever error it got for that, it tries again until its time is over, and believes
// only the script by which it then looks for its element again.

import { isLocatorRead, thrown } from '../fence/while-driven.ts';
import type { GuestCommand } from './guest-command.ts';

/** The longest pause of Playwright before it tries again, and some. */
const retryMs = 1000;
const maxReads = 16;

/** A look for an element, and why the input that followed was refused. */
type Read = { sessionId: string | undefined; asked: string; refusal?: { why: string; until: number } };

export type Retries = {
  refused(command: GuestCommand, why: string): void;
  /** A button was let go of: what the element was looked for is done. */
  released(command: GuestCommand): void;
  /** Whether the command is the same look again, which was answered with the refusal. */
  isToldWhy(command: GuestCommand): boolean;
};

type Options = {
  say(command: GuestCommand, message: object): void;
  /** Whether the session is a page's own, and not one of a frame, whose input comes in the session of its page. */
  isOfPage(sessionId: string | undefined): boolean;
};

export function createRetries({ say, isOfPage }: Options): Retries {
  /** The last of each session, newest first. */
  let reads: Read[] = [];
  const before = ({ sessionId }: GuestCommand) =>
    reads.find((read) => read.sessionId === sessionId || !isOfPage(read.sessionId));
  return {
    refused(command, why) {
      const read = before(command);
      if (read) read.refusal = { why, until: performance.now() + retryMs };
    },
    released(command) {
      const done = before(command);
      reads = reads.filter((read) => read !== done);
    },
    isToldWhy(command) {
      const { method, params, sessionId } = command;
      if (!isLocatorRead(method, params)) return false;
      const asked = JSON.stringify(params.arguments);
      const last = reads.find((read) => read.sessionId === sessionId);
      reads = [{ sessionId, asked }, ...reads.filter((read) => read !== last)].slice(0, maxReads);
      const { refusal } = last ?? {};
      if (!refusal || last?.asked !== asked || performance.now() > refusal.until) return false;
      say(command, { result: thrown(refusal.why) });
      return true;
    },
  };
}
