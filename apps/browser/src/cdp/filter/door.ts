// The door of one guest to the browser of its session. Nothing may pass between a guest and Chromium but through here.

import type { ProgramAct } from '@pilothouse/bus';
import { bestEffort } from '../../common/best-effort.ts';
import { type Deadline, startDeadline, within } from '../../common/deadline.ts';
import { type ActWatch, createActWatch } from '../acts/act-watch.ts';
import { createElementSight } from '../acts/element-sight.ts';
import { createHeldDown } from '../fence/held-down.ts';
import { createSwitches } from '../fence/switches.ts';
import { createUnderWay } from '../fence/under-way.ts';
import type { Driven, WhileDriven } from '../fence/while-driven.ts';
import { createWithheld } from '../fence/withheld.ts';
import type { Guest, Multiplexer } from '../multiplexer.ts';
import type { JudgeAct } from '../policy/judge.ts';
import { createCommandFilter, type Parts } from './command-filter.ts';
import { createEnabled } from './enabled.ts';
import { createEventFilter, tell } from './event-filter.ts';
import { createKnownContexts } from './known-contexts.ts';
import { createSessions } from './sessions.ts';
import { createTargets } from './targets.ts';
import { createWheel, type Wheel } from './wheel.ts';
import { createWorlds } from './worlds.ts';

const leaveMs = 5000;

export type Door = Wheel & {
  /** A message of the client. */
  take(text: string): void;
  /** Tells what the client did last. Nothing of what it does is told after it. */
  tellActs(): Promise<void>;
  /** The client leaves: all its sessions end. */
  close(): Promise<void>;
};

export type DoorOptions = {
  openGuest: Multiplexer['openGuest'];
  /** The session's context: the only one that the guest sees, and the default one to it. */
  contextId: string;
  /** A message for the client. */
  deliver(text: string): void;
  /** The client asked to leave, or Chromium is gone. */
  onEnd(): void;
  /** A page that waits for this client longer than that goes on without it. */
  resumeMs?: number;
  /** Who drives instead of the client from the start. */
  driven?: Driven;
  whileDriven?: WhileDriven;
  isHalted?: () => boolean;
  isHeld?: Parts['isHeld'];
  answerDialog?: Parts['answerDialog'];
  roundTrip?: Parts['roundTrip'];
  onAct?: () => void;
  /** Says whether an act may be done. Without it, all may. `targetOf`: the page of a session of the guest. */
  judgeActs?: (targetOf: (sessionId: string | undefined) => string | undefined) => JudgeAct;
  /** What the client did, after it was done. Without it, nothing is watched. */
  onActs?: (acts: ProgramAct[]) => void;
};

export async function openDoor(options: DoorOptions, deadline: Deadline): Promise<Door> {
  let onEvent: ((event: Buffer, sessionId: string) => void) | undefined;
  const guest = await options.openGuest(
    { onEvent: (event, sessionId) => onEvent?.(event, sessionId), onClose: options.onEnd },
    deadline,
  );
  let { driven } = options;
  /** Pages that the client does not know as they are yet, since another has driven. */
  const behind = new Map<string, Driven>();
  const parts = createParts(options, guest, { driven: () => driven, drivenUntilNow: (one) => behind.get(one ?? '') });
  const { sessions, withheld } = parts;
  if (driven) withheld.start([]);
  const events = createEventFilter(parts);
  onEvent = events.take;
  const commands = createCommandFilter(parts);
  const setDriven = (next: Driven | undefined) => {
    driven = next;
  };
  const wheel = createWheel({
    parts,
    commands,
    events,
    setDriven,
    behind,
    isHalted: options.isHalted ?? (() => false),
  });
  const close = async () => {
    sessions.close();
    void parts.acts.close();
    await bestEffort('end the sessions of a guest', guest.leave(startDeadline(leaveMs, new AbortController().signal)));
  };
  // From here on it is known which targets are the session's. What the guest is told of them is for it to ask.
  const discovered = Promise.withResolvers<void>();
  const everything = { discover: true, filter: [{}] };
  guest.send({ method: 'Target.setDiscoverTargets', params: everything }, () => discovered.resolve());
  await within(deadline, discovered.promise).catch(async (error) => {
    await close();
    throw error;
  });
  return { take: commands.take, ...wheel, tellActs: parts.acts.close, close };
}

const unwatched: ActWatch = { sent: () => undefined, refused: () => {}, close: async () => {} };

function createParts(options: DoorOptions, guest: Guest, drivers: Pick<Parts, 'driven' | 'drivenUntilNow'>): Parts {
  const { contextId, deliver, onEnd, resumeMs, whileDriven = 'fail', onAct = () => {} } = options;
  const { answerDialog = async () => 'unknown', isHeld = () => true, onActs, judgeActs } = options;
  const { roundTrip = async () => {} } = options;
  const sights = createElementSight(guest);
  return {
    guest,
    contextId,
    targets: createTargets(contextId),
    worlds: createWorlds(),
    sessions: createSessions({
      root: guest.root,
      resumeMs,
      resume: (sessionId) => tell(guest, 'Runtime.runIfWaitingForDebugger', {}, sessionId),
    }),
    enabled: createEnabled(),
    heldDown: createHeldDown(),
    switches: createSwitches(),
    underWay: createUnderWay(),
    withheld: createWithheld(),
    contexts: createKnownContexts(),
    acts: onActs ? createActWatch({ sights, send: onActs }) : unwatched,
    sights,
    whileDriven,
    judge: judgeActs?.(sights.pageOf),
    ...drivers,
    deliver,
    onEnd,
    onAct,
    answerDialog,
    isHeld,
    roundTrip,
  };
}
