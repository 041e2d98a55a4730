// What one guest says and hears: each command is judged by the table and its rule, and each event by what the guest may
// see. Nothing may pass between a guest and Chromium but through here.

import { bestEffort } from '../../common/best-effort.ts';
import { type Deadline, startDeadline, within } from '../../common/deadline.ts';
import type { Guest, Multiplexer } from '../multiplexer.ts';
import { methodOf, readdress, withoutSession } from '../raw-message.ts';
import { isOfBrowser, verdictOf } from './commands.ts';
import { errors, type GuestCommand, readCommand } from './guest-command.ts';
import { type Outcome, type Params, rules } from './rules.ts';
import { createSessions, type DoorSessions } from './sessions.ts';
import { createTargets, type TargetInfo, type Targets, type ToldEvent } from './targets.ts';
import { createWorlds, isOfWorlds, type Worlds } from './worlds.ts';

/** A client that sends more than this without waiting for answers is refused the rest. */
const maxPending = 4096;
const leaveMs = 5000;

export type Door = {
  /** A message of the client. */
  take(text: string): void;
  /** The client leaves: all its sessions end. */
  close(): Promise<void>;
};

type Options = {
  openGuest: Multiplexer['openGuest'];
  /** The session's context: the only one that the guest sees, and the default one to it. */
  contextId: string;
  /** A message for the client. */
  deliver(text: string): void;
  /** The client asked to leave, or Chromium is gone. */
  onEnd(): void;
  /** A page that waits for this client longer than that goes on without it. */
  resumeMs?: number;
};

type Parts = Options & { guest: Guest; targets: Targets; worlds: Worlds; sessions: DoorSessions };

export async function openDoor(options: Options, deadline: Deadline): Promise<Door> {
  const { openGuest, contextId, onEnd, resumeMs } = options;
  let onEvent: ((event: Buffer, sessionId: string) => void) | undefined;
  const guest = await openGuest(
    { onEvent: (event, sessionId) => onEvent?.(event, sessionId), onClose: onEnd },
    deadline,
  );
  const sessions = createSessions({
    root: guest.root,
    resumeMs,
    resume: (sessionId) => tell(guest, 'Runtime.runIfWaitingForDebugger', {}, sessionId),
  });
  const parts = { ...options, guest, targets: createTargets(contextId), worlds: createWorlds(), sessions };
  onEvent = createEventFilter(parts);
  const close = async () => {
    sessions.close();
    await bestEffort('end the sessions of a guest', guest.leave(startDeadline(leaveMs, deadline.signal)));
  };
  // From here on it is known which targets are the session's. What the guest is told of them is for it to ask.
  const discovered = Promise.withResolvers<void>();
  const everything = { discover: true, filter: [{}] };
  guest.send({ method: 'Target.setDiscoverTargets', params: everything }, () => discovered.resolve());
  await within(deadline, discovered.promise).catch(async (error) => {
    await close();
    throw error;
  });
  return { take: createCommandFilter(parts), close };
}

/** A command of our own in a session of the guest, whose answer does not matter. */
function tell(guest: Guest, method: string, params: Params, sessionId: string): void {
  if (guest.owns(sessionId)) guest.send({ method, params, sessionId }, () => {});
}

function createCommandFilter(parts: Parts): (text: string) => void {
  const { guest, contextId, targets, worlds, sessions, deliver, onEnd } = parts;
  let pending = 0;
  const ownsSession = (sessionId: unknown): sessionId is string =>
    typeof sessionId === 'string' && guest.owns(sessionId) && sessions.isShown(sessionId);

  function judge({ method, params, sessionId = guest.root }: GuestCommand): Outcome {
    const verdict = verdictOf(method);
    const isBrowser = sessions.isBrowser(sessionId);
    if (verdict === undefined) return { refuse: `'${method}' wasn't found` };
    if (verdict === 'refuse') return { refuse: `${method} is not allowed to programs that drive a session` };
    if (isBrowser && !isOfBrowser(method)) return { refuse: `${method} is only allowed in the session of a page` };
    if (verdict === 'answer') return { answer: {} };
    const rule = rules[method];
    if (verdict === 'allow') return { send: params };
    if (!rule) return { refuse: `${method} is not allowed to programs that drive a session` };
    return rule(params, { contextId, targets, worlds, sessionId, isBrowser, ownsSession });
  }

  function send(command: GuestCommand, { send: params, reshape }: Extract<Outcome, { send: Params }>): void {
    const { id, method, sessionId } = command;
    if (method === 'Runtime.runIfWaitingForDebugger' && sessionId) sessions.resumed(sessionId);
    pending += 1;
    guest.send({ method, params, sessionId }, (answer) => {
      pending -= 1;
      const text = readdress(answer, id, { keepsSession: sessionId !== undefined });
      deliver(reshape ? reshaped(text, reshape) : text);
    });
  }

  function obey(command: GuestCommand): void {
    const { id, method, sessionId } = command;
    const say = (message: object) => deliver(JSON.stringify({ id, ...message, ...(sessionId && { sessionId }) }));
    const isKnown = sessionId === undefined || ownsSession(sessionId);
    const outcome = isKnown && pending < maxPending ? judge(command) : { refuse: 'too many commands are under way' };
    if (!isKnown) say(errors.noSession);
    else if ('refuse' in outcome) say(errors.refused(outcome.refuse));
    else if ('send' in outcome) send(command, outcome);
    else {
      for (const event of outcome.events ?? []) deliver(textOf(event, guest));
      say({ result: outcome.answer });
      if (method === 'Browser.close') onEnd();
    }
  }

  return (text) => {
    const command = readCommand(text);
    if ('error' in command) deliver(JSON.stringify(command));
    else obey(command);
  };
}

/** Events of the guest's first session have none, as on a connection of their own. */
const textOf = ({ sessionId, ...event }: ToldEvent, guest: Guest): string =>
  JSON.stringify(sessionId === guest.root ? event : { ...event, sessionId });

/** The answer with another result. An error stays as it is. */
function reshaped(text: string, reshape: (result: Params) => Params): string {
  const answer = JSON.parse(text) as { result?: Params };
  return JSON.stringify(answer.result ? { ...answer, result: reshape(answer.result) } : answer);
}

function createEventFilter({ guest, targets, worlds, sessions, deliver }: Parts) {
  const pass = (method: string, params: Params, sessionId: string) =>
    deliver(textOf({ method, params, sessionId }, guest));
  const learn = (method: string, params: Params) => {
    for (const event of targets.take(method, params)) deliver(textOf(event, guest));
  };

  function attached(params: Params & { sessionId: string; targetInfo: TargetInfo }, parent: string): void {
    const { sessionId, targetInfo } = params;
    const isBrowser = targetInfo.type === 'browser';
    // What comes of a page of the session is the session's too.
    const isOwn = isBrowser || targets.isOwn(targetInfo) || !sessions.isBrowser(parent);
    sessions.add(sessionId, { isBrowser, isShown: isOwn, isWaiting: isOwn && params.waitingForDebugger === true });
    if (isOwn) {
      if (!isBrowser) learn('Target.targetCreated', params);
      pass('Target.attachedToTarget', { ...params, targetInfo: targets.shown(targetInfo) }, parent);
      return;
    }
    tell(guest, 'Runtime.runIfWaitingForDebugger', {}, sessionId);
    tell(guest, 'Target.detachFromTarget', { sessionId }, parent);
  }

  function ofTargets(method: string, params: Params, parent: string): void {
    if (method === 'Target.attachedToTarget') {
      attached(params as Parameters<typeof attached>[0], parent); // as the protocol has it
    } else if (method === 'Target.detachedFromTarget') {
      const sessionId = String(params.sessionId);
      if (sessions.isShown(sessionId)) pass(method, params, parent);
      sessions.remove(sessionId);
      worlds.forget(sessionId);
    } else if (parent === guest.root) learn(method, params);
  }

  return (event: Buffer, sessionId: string): void => {
    if (!sessions.isShown(sessionId)) return;
    const method = methodOf(event) ?? '';
    const isOfTargets = method.startsWith('Target.');
    if (isOfTargets || isOfWorlds(method)) {
      const { params = {} } = JSON.parse(event.toString()) as { params?: Params };
      const shown = isOfTargets ? undefined : worlds.take(sessionId, method, params);
      if (isOfTargets) ofTargets(method, params, sessionId);
      else if (shown) pass(method, shown, sessionId);
    } else deliver(sessionId === guest.root ? withoutSession(event) : event.toString());
  };
}
