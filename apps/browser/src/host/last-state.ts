// The last state of a session whose browser is about to end. A state that takes too long is given up: the last one that
// was stored has to do.

import type { SavedState } from '@pilothouse/bus';
import type { Log } from '@pilothouse/process';
import { bestEffort } from '../common/best-effort.ts';
import { startDeadline, within } from '../common/deadline.ts';
import { nameOf } from '../common/error-name.ts';
import type { Session } from '../session/session.ts';
import type { CheckpointSender } from './checkpoint-sender.ts';

const saveMs = 3000;
/** What a step may still take, and then all of it: the process has ten seconds in all. */
const stepMs = 2000;
const leaveMs = 3500;

type CloseOptions = {
  session: Session;
  sessionId: string;
  /** The epoch of the agent that closes the session. */
  epoch: number;
  log: Log;
  signal: AbortSignal;
};

/** For the agent that closes the session, where the state can be had in time. */
export async function readLastState({ session, sessionId, epoch, log, signal }: CloseOptions) {
  const deadline = startDeadline(saveMs, signal);
  // The driver is stopped first, or the state would be old before it is stored.
  const reading = session.take(epoch).then(() => session.save(deadline));
  return within(deadline, reading).catch((error) => {
    log.warn({ session_id: sessionId, kind: nameOf(error) }, 'the session closes without its state');
    return undefined;
  });
}

type LeaveOptions = { session: Session; sessionId: string; checkpoints: CheckpointSender; log: Log };

/**
 * Sends the state to the agents because the host ends. A step that is under way may end before: of one that is cut, nobody knows
 * whether it was done, and what it did is not in the state.
 */
export async function sendLastState({ session, sessionId, checkpoints, log }: LeaveOptions) {
  // Not ended by the host's own signal: the host waits for this before it ends.
  const deadline = startDeadline(leaveMs, new AbortController().signal);
  await bestEffort('let a step end before its host', within(deadline.atMost(stepMs), session.idle()));
  let state: SavedState | undefined;
  const send = async () => {
    state = await session.save(deadline);
    checkpoints.put(state);
    await checkpoints.idle();
  };
  await within(deadline, send()).catch((error) =>
    log.warn({ session_id: sessionId, kind: nameOf(error) }, 'the session ends, and its last state may not be stored'),
  );
  return state;
}
