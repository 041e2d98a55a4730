// Ends what one guest has under way: by itself, or because the scripts of the page are stopped. Nothing of it touches a page
// after that, and it holds nothing down.

import { bestEffort } from '../../common/best-effort.ts';
import { type Deadline, within } from '../../common/deadline.ts';
import { StepFailure } from '../../common/failure.ts';
import type { Driven } from '../fence/while-driven.ts';
import type { Command } from '../multiplexer.ts';
import type { CommandFilter, Parts } from './command-filter.ts';
import { tell } from './event-filter.ts';

/** How long commands get to end by themselves before the scripts of the pages are stopped, and how often that is done. */
const patienceMs = 45;
const nudgeEveryMs = 20;
const spendMs = 300;
/** A page that hangs never hears that a key is up; one on a busy machine hears it late, and before another driver begins. */
const releaseMs = 1000;

type Options = {
  /** Whether a page has an open dialog: it has received what was under way, and answers nothing. */
  isHalted: () => boolean;
  cut: CommandFilter['cut'];
};

export function createStopGuest(parts: Parts, { isHalted, cut }: Options) {
  const { guest, underWay, heldDown } = parts;
  const ask = createAsk(parts);
  const tellAll = (all: Command[]) => {
    for (const { method, sessionId = guest.root } of all) tell(guest, method, {}, sessionId);
  };

  /** Returns the sessions whose scripts were stopped. */
  async function drain(deadline: Deadline): Promise<Set<string>> {
    const stopped = new Set<string>();
    tellAll(underWay.stops());
    const notBegun = waitForBegin();
    const isIdle = async (ms: number) => {
      const soon = deadline.atMost(ms);
      await within(soon, notBegun.over).catch(() => undefined);
      return (await underWay.idle(soon.leftMs())) && notBegun.sessions.size === 0;
    };
    let isOver = await isIdle(patienceMs);
    // Without its sessions a guest does nothing more, and hears nothing.
    while (!isOver && !isHalted() && guest.owns(guest.root)) {
      if (deadline.isOver()) throw new StepFailure('timeout', 'what a program has under way does not end; ask again');
      const held = underWay.nudges().map(({ sessionId = guest.root }) => sessionId);
      for (const sessionId of new Set([...held, ...notBegun.sessions])) {
        stopped.add(sessionId);
        tell(guest, 'Runtime.terminateExecution', {}, sessionId);
      }
      isOver = await isIdle(nudgeEveryMs);
    }
    return stopped;
  }

  /** A script that waits for a promise is not waited for, but it must have begun: what is said after it is answered after that. */
  function waitForBegin(): { sessions: Set<string>; over: Promise<unknown> } {
    const sessions = new Set(underWay.awaiting());
    const begins = [...sessions].map((sessionId) =>
      ask('Runtime.evaluate', sessionId, { expression: '0' })
        .catch(() => undefined)
        .then(() => sessions.delete(sessionId)),
    );
    return { sessions, over: Promise.all(begins) };
  }

  /** A stop that found no script waits for the next one. That must not be how the page hears that a button is up. */
  async function spend(stopped: Set<string>, deadline: Deadline): Promise<void> {
    if (isHalted()) return;
    const spent = [...stopped].map((sessionId) =>
      ask('Runtime.evaluate', sessionId, { expression: '0' }).catch(() => undefined),
    );
    await within(deadline.atMost(spendMs), Promise.all(spent)).catch(() => undefined);
  }

  async function letGo(deadline: Deadline): Promise<void> {
    const done = heldDown.release().map(({ method, params, sessionId = guest.root }) => ask(method, sessionId, params));
    const all = bestEffort('let go of what a program holds', within(deadline.atMost(releaseMs), Promise.all(done)));
    if (!isHalted()) await all;
  }

  /** Rejects where something does not end. */
  return async (driven: Driven, deadline: Deadline): Promise<void> => {
    await spend(await drain(deadline), deadline);
    await letGo(deadline);
    // What is left has its answer now: the client must not hear what comes of it while another drives.
    for (const begun of underWay.giveUp()) cut(begun, driven);
  };
}

/** A command of our own in a session of the guest. It may never be answered. */
export const createAsk =
  ({ guest }: Parts) =>
  <T>(method: string, sessionId: string, params: object = {}): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    if (!guest.owns(sessionId)) return Promise.reject(new Error('the session is gone'));
    guest.send({ method, params, sessionId }, (answer) => {
      const { result, error } = JSON.parse(answer.toString()) as { result: T; error?: { message: string } };
      if (error) reject(new Error(`${method}: ${error.message}`));
      else resolve(result);
    });
    return promise;
  };
