// What one guest says: each command is judged by the table and its rule and, while another drives, by the fence. Nothing
// of a guest may reach Chromium but through here.

import { bestEffort } from '../../common/best-effort.ts';
import type { ActWatch } from '../acts/act-watch.ts';
import type { ElementSight } from '../acts/element-sight.ts';
import type { HeldDown } from '../fence/held-down.ts';
import type { Switches } from '../fence/switches.ts';
import type { Begun, UnderWay } from '../fence/under-way.ts';
import {
  asHelper,
  asTitleRead,
  cutShort,
  type Driven,
  type FenceOutcome,
  isScript,
  judgeWhileDriven,
  type WhileDriven,
} from '../fence/while-driven.ts';
import type { Withheld } from '../fence/withheld.ts';
import type { Guest } from '../multiplexer.ts';
import { type ActGate, createActGate } from '../policy/act-gate.ts';
import type { JudgeAct } from '../policy/judge.ts';
import { isInput } from '../policy/judged-act.ts';
import { readdress } from '../raw-message.ts';
import { isOfBrowser, verdictOf } from './commands.ts';
import type { Enabled } from './enabled.ts';
import { errors, type GuestCommand, readCommand } from './guest-command.ts';
import { createKeptCommands, type Refusal } from './kept-commands.ts';
import type { KnownContexts } from './known-contexts.ts';
import { createRetries } from './retries.ts';
import { type Outcome, type Params, rules } from './rules.ts';
import type { DoorSessions } from './sessions.ts';
import type { Targets, ToldEvent } from './targets.ts';
import type { Worlds } from './worlds.ts';

/** `gone`: what it was for is not open any more. `unknown`: the host knows of no dialog there. */
export type DialogAnswered = 'done' | 'gone' | 'unknown';

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
  contexts: KnownContexts;
  /** What the guest does is told to it. */
  acts: ActWatch;
  sights: ElementSight;
  whileDriven: WhileDriven;
  /** What says whether an act may be done. */
  judge: JudgeAct | undefined;
  /** Who drives instead of the guest. */
  driven(): Driven | undefined;
  /** Who drove until now, where the client does not know this page as it is yet. */
  drivenUntilNow(sessionId: string | undefined): Driven | undefined;
  deliver(text: string): void;
  /** The client asked to leave. */
  onEnd(): void;
  /** The guest acts. */
  onAct(): void;
  /** Whether this host may act now. */
  isHeld(): boolean;
  /** Resolves when the client has heard everything so far, and what it said until then is here. At once where nobody can tell. */
  roundTrip(): Promise<void>;
  /** Answers the dialog of this page, as the host: Chromium would answer whatever is open by then. */
  answerDialog(command: GuestCommand, targetId: string | undefined): Promise<DialogAnswered>;
};

export type CommandFilter = {
  take(text: string): void;
  /** Refuses acts that wait to be judged: another drives. */
  refuseWaiting(): void;
  /** Answers a command that was under way when another took over, and never heard of its end. */
  cut(begun: Begun, driven: Driven): void;
  /** Answers those who asked for the title of this page meanwhile. */
  answerTitles(sessionId: string, result: object): void;
  /** Whether a client is about to ask for the title of this page. It is asked once. */
  wasHelped(sessionId: string): boolean;
  /** Refuses what was said of pages, of this one or of all, while the client did not know them as they are. */
  refuseLate(sessionId?: string): void;
  /** Does what was held until now. */
  resume(): void;
};

export function createCommandFilter(parts: Parts): CommandFilter {
  const { guest, sessions, underWay, deliver, whileDriven } = parts;
  const ownsSession = (sessionId: unknown): sessionId is string =>
    typeof sessionId === 'string' && guest.owns(sessionId) && sessions.isShown(sessionId);
  const judge = createJudge(parts, ownsSession);
  const say = ({ id, sessionId }: GuestCommand, message: object) =>
    deliver(JSON.stringify({ id, ...message, ...(sessionId && { sessionId }) }));
  const kept = createKeptCommands(say);
  const helped = new Set<string | undefined>();
  const { refuseAct, refuse, answerCut } = createRefusals(parts, say, helped);

  function obey(command: GuestCommand): void {
    const outcome = judge(command);
    const { method, params, sessionId = guest.root } = command;
    if ('refuse' in outcome) refuseAct(command, outcome.refuse);
    else if (parts.heldDown.isUpAlready(sessionId, method, params)) say(command, { result: {} });
    else if ('send' in outcome) send(parts, command, { ...outcome, cut });
    else {
      for (const event of outcome.events ?? []) deliver(textOf(event, guest));
      say(command, { result: outcome.answer });
      if (method === 'Browser.close') parts.onEnd();
    }
  }

  function cut({ id, method, params, sessionId }: Begun, driven: Driven): void {
    const command = { id, method, params, ...(sessionId !== guest.root && { sessionId }) };
    const known = whileDriven === 'fail' ? asOfPlaywright(command) : undefined;
    if (known?.kind === 'hold') kept.hold(command);
    else answerCut(command, known ?? cutShort(whileDriven, method, driven));
  }

  function consider(command: GuestCommand, isJudged: boolean): void {
    const { sessionId } = command;
    const isKnown = sessionId === undefined || ownsSession(sessionId);
    const driven = parts.driven();
    // A page with a dialog does not say how it is before its client has answered the dialog.
    const isAsking = parts.enabled.of(sessionId ?? guest.root).dialog !== undefined;
    const instead = driven ?? (isAsking ? undefined : parts.drivenUntilNow(sessionId));
    const objection = isKnown && parts.heldDown.objectionTo(command.method, command.params);
    const outcome: FenceOutcome = instead ? fenced(whileDriven, command, instead) : { kind: 'pass' };
    if (!isKnown) say(command, errors.noSession);
    else if (!parts.isHeld()) refuseAct(command, 'the browser host may not act now; nothing was done');
    else if (objection) refuseAct(command, objection);
    else if (underWay.isFull()) refuseAct(command, 'too many commands are under way');
    else if (outcome.kind === 'pass') {
      if (isJudged || !gate.holds(command)) obey(command);
    } else if (outcome.kind === 'hold') kept.hold(command);
    else if (isHelper(command) || driven || !kept.refuseLater(command, outcome)) refuse(command, outcome);
  }

  const take = answering(consider, say);
  // Another may drive by now.
  const gate = createGate(parts, { say, refuseAct, pass: (command) => take(command, true) });

  function refuseLate(sessionId?: string): void {
    for (const { command, outcome } of kept.takeLate(sessionId)) refuse(command, outcome);
  }

  return {
    take(text) {
      const command = readCommand(text);
      if ('error' in command) deliver(JSON.stringify(command));
      else take(command);
    },
    refuseWaiting() {
      for (const command of gate.drain()) take(command, true);
    },
    cut,
    answerTitles: kept.answerTitles,
    wasHelped: (sessionId) => helped.delete(sessionId),
    refuseLate,
    resume() {
      refuseLate();
      for (const command of kept.takeHeld()) take(command);
    },
  };
}

/** A command that nobody thought of may break what reads it. It is answered, and nothing else is hurt. */
const answering =
  (
    consider: (command: GuestCommand, isJudged: boolean) => void,
    say: (command: GuestCommand, message: object) => void,
  ) =>
  (command: GuestCommand, isJudged = false): void => {
    try {
      consider(command, isJudged);
    } catch (error) {
      void bestEffort('take a command of a program', Promise.reject(error));
      say(command, errors.broken);
    }
  };

/** What is refused anyway is refused as ever; what would be done is held to the fence. */
function fenced(whileDriven: WhileDriven, command: GuestCommand, driven: Driven): FenceOutcome {
  const verdict = verdictOf(command.method);
  if (verdict !== 'allow' && verdict !== 'rewrite') return { kind: 'pass' };
  const known = whileDriven === 'fail' ? asOfPlaywright(command) : undefined;
  return known ?? judgeWhileDriven(whileDriven, command.method, driven);
}

type GateOptions = Pick<ReturnType<typeof createRefusals>, 'refuseAct'> & {
  say(command: GuestCommand, message: object): void;
  pass(command: GuestCommand): void;
};

/** Holds acts until they are judged. */
function createGate(
  { judge, heldDown, sights, guest }: Parts,
  { say, refuseAct, pass }: GateOptions,
): ActGate<GuestCommand> {
  const retries = createRetries({ say, isOfPage: (sessionId) => sights.pageOf(sessionId) !== undefined });
  const isUpAlready = ({ sessionId = guest.root, method, params }: GuestCommand) =>
    heldDown.wasLetGo(sessionId, method, params);
  const gate = createActGate<GuestCommand>({
    judge,
    isUpAlready,
    pass(command) {
      if (command.params.type === 'mouseReleased') retries.released(command);
      pass(command);
    },
    refuse(command, why) {
      refuseAct(command, why, { isWhole: true });
      if (isInput(command.method)) retries.refused(command, why);
    },
    answerRelease: (command, why) => say(command, errors.refused(why)),
    fail: (command) => say(command, errors.broken),
  });
  return { ...gate, holds: (command) => retries.isToldWhy(command) || gate.holds(command) };
}

const isHelper = ({ method, params }: GuestCommand): boolean => asHelper(method, params) !== undefined;

/**
 * What is answered in place of what was asked for. An act that never reached Chromium is told as refused. `helped` has the
 * sessions in which Playwright's helper was refused.
 */
function createRefusals(
  { guest, acts, contexts }: Parts,
  say: (command: GuestCommand, message: object) => void,
  helped: Set<string | undefined>,
) {
  const noteRefused = (command: GuestCommand, why: string, told?: { isWhole: boolean }) =>
    acts.refused({ ...command, sessionId: command.sessionId ?? guest.root }, why, told);
  /** Of a command that was sent: what it did is told with its answer. */
  function answerCut(command: GuestCommand, outcome: Refusal): void {
    if (isHelper(command)) helped.add(command.sessionId);
    contexts.failed(command.sessionId ?? guest.root, command.method, command.params);
    say(command, outcome.kind === 'answer' ? { result: outcome.result } : errors.refused(outcome.message));
  }
  return {
    answerCut,
    refuse(command: GuestCommand, outcome: Refusal): void {
      if (outcome.kind === 'error') noteRefused(command, outcome.message);
      answerCut(command, outcome);
    },
    refuseAct(command: GuestCommand, why: string, told?: { isWhole: boolean }): void {
      noteRefused(command, why, told);
      say(command, errors.refused(why));
    },
  };
}

/** What Playwright takes for an empty title where it is refused. */
function asOfPlaywright({ method, params }: GuestCommand): { kind: 'hold' } | Refusal | undefined {
  if (asTitleRead(method, params)) return { kind: 'hold' };
  const helper = asHelper(method, params);
  return helper && { kind: 'answer', result: helper };
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
  { send: params, reshape, cut }: Extract<Outcome, { send: Params }> & Pick<CommandFilter, 'cut'>,
): void {
  const { guest, sessions, enabled, heldDown, switches, underWay, deliver, onAct } = parts;
  const { id, method, sessionId = guest.root } = command;
  if (method === 'Runtime.runIfWaitingForDebugger') sessions.resumed(sessionId);
  for (const one of [enabled, heldDown, switches]) one.note(sessionId, method, params);
  onAct();
  const takeAnswer = parts.acts.sent({ method, params, sessionId });
  const begun = underWay.begin({ id, method, sessionId, params, size: command.size });
  const onAnswer = (answer: Buffer) => {
    const keepsSession = command.sessionId !== undefined;
    const text = readdress(answer, id, { keepsSession });
    // What a rule learns of the answer is learned also where the client has been told another.
    const shown = reshape ? reshaped(text, reshape) : text;
    const isAwaited = underWay.end(begun);
    takeAnswer?.(isAwaited ? text : undefined);
    if (!isAwaited) return;
    const driven = parts.driven();
    // A script that was stopped for another driver has failed for its client, who would take that for a page without anything.
    if (driven && isScript(method) && hasFailed(text)) return cut({ ...begun, params: command.params }, driven);
    deliver(shown);
  };
  const ask = () => {
    try {
      guest.send({ method, params, sessionId }, onAnswer);
    } catch (error) {
      underWay.end(begun);
      takeAnswer?.(undefined);
      throw error;
    }
  };
  if (method === 'Page.handleJavaScriptDialog') void answerDialog(parts, command, { ask, onAnswer });
  else ask();
}

async function answerDialog(
  { answerDialog: answer, sights, guest }: Parts,
  command: GuestCommand,
  { ask, onAnswer }: { ask(): void; onAnswer(answer: Buffer): void },
): Promise<void> {
  const { id, sessionId } = command;
  const answering = answer(command, sights.pageOf(sessionId));
  const answered = (await bestEffort('answer a dialog for a program', answering)) ?? 'gone';
  // The guest, or its session, may be gone by now.
  if (!guest.owns(guest.root)) return;
  if (answered === 'unknown' && guest.owns(sessionId ?? guest.root)) return ask();
  const said = answered === 'done' ? { result: {} } : errors.refused('the dialog is gone, so nothing was answered');
  onAnswer(Buffer.from(JSON.stringify({ id, ...said, ...(sessionId && { sessionId }) })));
}

/** Events of the guest's first session have none, as on a connection of their own. */
export const textOf = ({ sessionId, ...event }: ToldEvent, guest: Guest): string =>
  JSON.stringify(sessionId === guest.root ? event : { ...event, sessionId });

const hasFailed = (text: string): boolean => text.includes('"error"') && 'error' in JSON.parse(text);

/** The answer with another result. An error stays as it is. */
function reshaped(text: string, reshape: (result: Params) => Params): string {
  const answer = JSON.parse(text) as { result?: Params };
  return JSON.stringify(answer.result ? { ...answer, result: reshape(answer.result) } : answer);
}
