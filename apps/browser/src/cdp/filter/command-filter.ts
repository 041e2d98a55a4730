// What one guest says: each command is judged by the table and its rule and, while another drives, by the fence. Nothing
// of a guest may reach Chromium but through here.

import { bestEffort } from '../../common/best-effort.ts';
import type { ActWatch } from '../acts/act-watch.ts';
import type { ElementSight } from '../acts/element-sight.ts';
import type { HeldDown } from '../fence/held-down.ts';
import type { Switches } from '../fence/switches.ts';
import type { UnderWay } from '../fence/under-way.ts';
import {
  asTitleRead,
  type Driven,
  type FenceOutcome,
  judgeWhileDriven,
  type WhileDriven,
} from '../fence/while-driven.ts';
import type { Withheld } from '../fence/withheld.ts';
import type { Guest } from '../multiplexer.ts';
import { readdress } from '../raw-message.ts';
import { isOfBrowser, verdictOf } from './commands.ts';
import type { Enabled } from './enabled.ts';
import { errors, type GuestCommand, readCommand } from './guest-command.ts';
import { type Outcome, type Params, rules } from './rules.ts';
import type { DoorSessions } from './sessions.ts';
import type { Targets, ToldEvent } from './targets.ts';
import type { Worlds } from './worlds.ts';

/** A client that sends more than this without waiting for answers is refused the rest. */
const maxPending = 4096;
/** Of reads that wait until the client drives. */
const maxHeld = 256;

export type Parts = {
  guest: Guest;
  contextId: string;
  targets: Targets;
  worlds: Worlds;
  sessions: DoorSessions;
  enabled: Enabled;
  heldDown: HeldDown;
  switches: Switches;
  underWay: UnderWay;
  withheld: Withheld;
  /** What the guest does is told to it. */
  acts: ActWatch;
  sights: ElementSight;
  whileDriven: WhileDriven;
  /** Who drives instead of the guest. */
  driven(): Driven | undefined;
  deliver(text: string): void;
  /** The client asked to leave. */
  onEnd(): void;
  /** The guest acts. */
  onAct(): void;
  /** Whether this host may act now. */
  isHeld(): boolean;
  /** Answers the dialog that is open, where Chromium takes the answer of the host only. False where none is open. */
  answerDialog(accept: boolean, text: string | undefined): Promise<boolean>;
};

export type CommandFilter = {
  take(text: string): void;
  /** Reads the titles that were asked for meanwhile. False where there are none. */
  resumeTitles(): boolean;
  /** Does what was held until now. */
  resume(): void;
};

export function createCommandFilter(parts: Parts): CommandFilter {
  const { guest, sessions, underWay, deliver, whileDriven } = parts;
  let held: GuestCommand[] = [];
  let heldTitles: GuestCommand[] = [];
  const ownsSession = (sessionId: unknown): sessionId is string =>
    typeof sessionId === 'string' && guest.owns(sessionId) && sessions.isShown(sessionId);
  const judge = createJudge(parts, ownsSession);

  function say({ id, sessionId }: GuestCommand, message: object): void {
    deliver(JSON.stringify({ id, ...message, ...(sessionId && { sessionId }) }));
  }
  function refuse(command: GuestCommand, why: string): void {
    parts.acts.refused({ ...command, sessionId: command.sessionId ?? guest.root }, why);
    say(command, errors.refused(why));
  }

  function obey(command: GuestCommand): void {
    const outcome = judge(command);
    if ('refuse' in outcome) refuse(command, outcome.refuse);
    else if ('send' in outcome) send(parts, command, outcome);
    else {
      for (const event of outcome.events ?? []) deliver(textOf(event, guest));
      say(command, { result: outcome.answer });
      if (command.method === 'Browser.close') parts.onEnd();
    }
  }

  function hold(command: GuestCommand): void {
    const title = asTitleRead(command.method, command.params);
    if (held.length + heldTitles.length >= maxHeld)
      say(command, errors.refused('too many commands wait for this session'));
    // Contexts may be others by then.
    else if (title) heldTitles.push({ ...command, method: 'Runtime.evaluate', params: title });
    else held.push(command);
  }

  /** What is refused anyway is refused as ever; what would be done is held to the fence. */
  function fenced(command: GuestCommand, driven: Driven): FenceOutcome {
    const { method, params } = command;
    const verdict = verdictOf(method);
    if (verdict !== 'allow' && verdict !== 'rewrite') return { kind: 'pass' };
    if (whileDriven === 'fail' && asTitleRead(method, params)) return { kind: 'hold' };
    return judgeWhileDriven(whileDriven, method, driven);
  }

  function take(command: GuestCommand): void {
    const { sessionId } = command;
    const isKnown = sessionId === undefined || ownsSession(sessionId);
    const driven = parts.driven();
    const isTooMuch = underWay.count() >= maxPending;
    const outcome: FenceOutcome = driven ? fenced(command, driven) : { kind: 'pass' };
    if (!isKnown) say(command, errors.noSession);
    else if (!parts.isHeld()) refuse(command, 'the browser host may not act now; nothing was done');
    else if (isTooMuch) refuse(command, 'too many commands are under way');
    else if (outcome.kind === 'hold') hold(command);
    else if (outcome.kind === 'answer') say(command, { result: outcome.result });
    else if (outcome.kind === 'error') refuse(command, outcome.message);
    else obey(command);
  }

  return {
    take(text) {
      const command = readCommand(text);
      if ('error' in command) deliver(JSON.stringify(command));
      else take(command);
    },
    resumeTitles() {
      const waiting = heldTitles;
      heldTitles = [];
      for (const command of waiting) take(command);
      return waiting.length > 0;
    },
    resume() {
      const waiting = held;
      held = [];
      for (const command of waiting) take(command);
    },
  };
}

function createJudge(parts: Parts, ownsSession: (sessionId: unknown) => sessionId is string) {
  const { guest, contextId, targets, worlds, sessions, withheld } = parts;
  return ({ method, params, sessionId = guest.root }: GuestCommand): Outcome => {
    const verdict = verdictOf(method);
    const isBrowser = sessions.isBrowser(sessionId);
    if (verdict === undefined) return { refuse: `'${method}' wasn't found` };
    if (verdict === 'refuse') return { refuse: `${method} is not allowed to programs that drive a session` };
    if (isBrowser && !isOfBrowser(method)) return { refuse: `${method} is only allowed in the session of a page` };
    if (verdict === 'answer') return { answer: {} };
    if (verdict === 'allow') return { send: params };
    const rule = rules[method];
    if (!rule) return { refuse: `${method} is not allowed to programs that drive a session` };
    const isTold = !withheld.isOn();
    return rule(params, { contextId, targets, worlds, sessionId, isBrowser, isTold, ownsSession });
  };
}

function send(
  parts: Parts,
  command: GuestCommand,
  { send: params, reshape }: Extract<Outcome, { send: Params }>,
): void {
  const { guest, sessions, enabled, heldDown, switches, underWay, deliver, onAct } = parts;
  const { id, method, sessionId = guest.root } = command;
  if (method === 'Runtime.runIfWaitingForDebugger') sessions.resumed(sessionId);
  for (const one of [enabled, heldDown, switches]) one.note(sessionId, method, params);
  onAct();
  const takeAnswer = parts.acts.sent({ method, params, sessionId });
  const begun = underWay.begin({ id, method, sessionId, params });
  guest.send({ method, params, sessionId }, (answer) => {
    const keepsSession = command.sessionId !== undefined;
    const text = readdress(answer, id, { keepsSession });
    // What a rule learns of the answer is learned also where the client has been told another.
    const shown = reshape ? reshaped(text, reshape) : text;
    const isAwaited = underWay.end(begun);
    takeAnswer?.(isAwaited ? text : undefined);
    if (!isAwaited) return;
    if (method === 'Page.handleJavaScriptDialog' && text.includes('"error"')) void answerDialog(parts, command, text);
    else deliver(shown);
  });
}

/** Of all clients of a page, Chromium takes the answer to a dialog from the first, which is the host. */
async function answerDialog({ answerDialog: answer, deliver }: Parts, command: GuestCommand, refusal: string) {
  const { id, params, sessionId } = command;
  const text = typeof params.promptText === 'string' ? params.promptText : undefined;
  const isDone = await bestEffort('answer a dialog for a program', answer(params.accept === true, text));
  deliver(isDone ? JSON.stringify({ id, result: {}, sessionId }) : refusal);
}

/** Events of the guest's first session have none, as on a connection of their own. */
export const textOf = ({ sessionId, ...event }: ToldEvent, guest: Guest): string =>
  JSON.stringify(sessionId === guest.root ? event : { ...event, sessionId });

/** The answer with another result. An error stays as it is. */
function reshaped(text: string, reshape: (result: Params) => Params): string {
  const answer = JSON.parse(text) as { result?: Params };
  return JSON.stringify(answer.result ? { ...answer, result: reshape(answer.result) } : answer);
}
