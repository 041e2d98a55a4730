// The doors through which programs drive a session, and who drives instead of them. A program drives only while its own epoch
// is the newest: whatever else takes the session, fences them all first.

import type { ProgramAct, ProgramRules } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import type { Driven } from '../cdp/fence/while-driven.ts';
import { type Door, type DoorOptions, openDoor } from '../cdp/filter/door.ts';
import type { Chromium } from '../chromium/launch.ts';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, startDeadline, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { Dom } from '../dom/dom.ts';
import type { HandOver } from '../driver/hand-over.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { Pages } from '../pages/pages.ts';
import { createProgramDialogs, type ProgramDialogs } from './program-dialogs.ts';
import { createProgramGate } from './program-gate.ts';

/** As long as a page may take to stop for a new driver. */
const fenceMs = 1000;
const releaseMs = 1000;
const openMs = 5000;
/** Fences that fail in a row before the browser is ended. */
const maxFailures = 2;
const maxDoors = 8;

export type ProgramDoor = Pick<Door, 'take' | 'tellActs' | 'close'> & {
  /** What its acts are held to from now on. */
  setRules(rules: ProgramRules): void;
  /** Nothing of the program goes on after this, and what it says is refused. What it did can still be told. */
  stop(): Promise<void>;
};
export type ProgramDoorOptions = Pick<DoorOptions, 'deliver' | 'onEnd' | 'whileDriven' | 'roundTrip'> & {
  /** Without them, nothing is judged. */
  rules?: ProgramRules;
  /** What the program did, and the epoch under which programs drove last. */
  onActs?: (acts: ProgramAct[], epoch: number) => void;
};

export type ProgramDoors = {
  /** Whether a program is connected. */
  hasAny(): boolean;
  open(options: ProgramDoorOptions): Promise<ProgramDoor>;
  /** Nothing of any program goes on after this. Rejects where something does. */
  fence(): Promise<void>;
  /** The same, and programs drive where it is a program that takes over. */
  following(handOver: HandOver): HandOver;
  close(): void;
};

type Options = {
  chromium: Pick<Chromium, 'openGuest'>;
  context: BrowserContext;
  pages: Pages;
  dialogs: Dialogs;
  eyesOf: (page: Page) => Dom;
  firstEpoch: number;
  epoch: () => number;
  /** Whether this host may act now. */
  isHeld: () => boolean;
  signal: AbortSignal;
  /** A program acts. */
  onAct: () => void;
  /** What the programs are held to that drive now; nothing while another drives. */
  onRules: (rules: readonly ProgramRules[]) => void;
  /** A program came or left. */
  onCount: () => void;
  /** Ends the browser, where nothing else stops what a program began. */
  endBrowser: () => void;
};

export function createProgramDoors(options: Options): ProgramDoors {
  const { chromium, context, pages, dialogs, epoch, signal, onAct, onCount, endBrowser } = options;
  const doors = new Set<Door>();
  /** Undefined while programs drive. */
  let driven: Driven | undefined = { epoch: options.firstEpoch, by: 'unknown' };
  let offered: Driven['by'] = 'unknown';
  let failures = 0;
  let programEpoch = options.firstEpoch;
  const contextIdOf = createContextIdOf(context);
  const rules = createRulesOfDoors((all) => options.onRules(driven ? [] : all));
  const ownPages = () => pages.all().filter((page) => !pages.isBeside(page));
  const isHalted = () => ownPages().some((page) => dialogs.of(page) !== null);

  async function fence(): Promise<void> {
    driven = { epoch: epoch(), by: offered };
    rules.tell();
    const by = driven;
    const deadline = startDeadline(fenceMs, signal);
    try {
      await Promise.all([...doors].map((door) => door.fence(by, deadline)));
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures >= maxFailures) endBrowser();
      throw error;
    }
  }

  async function release(at: number): Promise<void> {
    if (!driven || at !== epoch()) return;
    [driven, programEpoch] = [undefined, at];
    rules.tell();
    const deadline = startDeadline(releaseMs, signal);
    await Promise.all([...doors].map((door) => door.release(at, deadline)));
  }

  return {
    hasAny: () => doors.size > 0,
    fence,
    async open({ deliver, onEnd, whileDriven, roundTrip, onActs, rules: given }) {
      const held = rules.add(given);
      if (doors.size >= maxDoors) throw new StepFailure('full', 'too many programs are connected to this session');
      const deadline = startDeadline(openMs, signal);
      const id = await contextIdOf(ownPages()[0] ?? pages.current(), deadline);
      const before = driven;
      const shared = { openGuest: chromium.openGuest, contextId: id, onAct, isHeld: options.isHeld, isHalted };
      const tellActs = onActs && ((acts: ProgramAct[]) => onActs(acts, programEpoch));
      const told = { deliver, onEnd, whileDriven, roundTrip, onActs: tellActs };
      const answers = createProgramDialogs(options);
      const judged = { judgeActs: gateOf(options, held.current, answers), answerDialog: answers.answer };
      const door = await openDoor({ ...shared, ...told, ...judged, driven: before }, deadline);
      doors.add(door);
      held.begin();
      onCount();
      // The driver may have changed while it was opened.
      if (driven && !before) await door.fence(driven, startDeadline(fenceMs, signal));
      if (!driven && before) await door.release(epoch(), startDeadline(releaseMs, signal));
      const stop = once(async () => {
        if (!doors.delete(door)) return;
        held.end();
        onCount();
        // Buttons and keys that it holds are let go of.
        const fenced = door.fence({ epoch: epoch(), by: 'unknown' }, startDeadline(fenceMs, signal));
        await bestEffort('stop a program', fenced);
      });
      const close = () => stop().then(door.close);
      return { take: door.take, tellActs: door.tellActs, setRules: held.set, stop, close };
    },
    following: (handOver) => async (next, who) => {
      if (who !== 'program' && next >= epoch()) offered = who;
      const isTaken = await handOver(next, who);
      if (isTaken && who === 'program') await release(next);
      return isTaken;
    },
    close: () => endAll(doors),
  };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

function endAll(doors: Set<Door>): void {
  for (const door of doors) void door.close();
  doors.clear();
}

const gateOf =
  (options: Options, rules: () => ProgramRules | undefined, answers: ProgramDialogs): DoorOptions['judgeActs'] =>
  (targetOf) =>
    createProgramGate({ ...options, rules, answers, targetOf });

/** What the programs that are connected are held to. */
function createRulesOfDoors(onRules: (all: ProgramRules[]) => void) {
  const connected = new Set<() => ProgramRules | undefined>();
  const tell = () => onRules([...connected].flatMap((current) => current() ?? []));
  return {
    tell,
    add(given: ProgramRules | undefined) {
      let rules = given;
      const current = () => rules;
      return {
        current,
        begin(): void {
          connected.add(current);
          tell();
        },
        set(next: ProgramRules): void {
          rules = next;
          if (connected.has(current)) tell();
        },
        end(): void {
          if (connected.delete(current)) tell();
        },
      };
    },
  };
}

/** It is asked for once. */
function createContextIdOf(context: BrowserContext) {
  let contextId: Promise<string> | undefined;
  return async (page: Page, deadline: Deadline): Promise<string> => {
    contextId ??= readContextId(context, page, deadline);
    return contextId.catch((error) => {
      contextId = undefined;
      throw error;
    });
  };
}

/** The id that Chromium knows the context of the session by. */
async function readContextId(context: BrowserContext, page: Page, deadline: Deadline): Promise<string> {
  const cdp = await within(deadline, context.newCDPSession(page));
  const { targetInfo } = await within(deadline, cdp.send('Target.getTargetInfo'));
  void bestEffort('detach', cdp.detach());
  if (targetInfo.browserContextId === undefined) throw new Error('the context of the session has no id');
  return targetInfo.browserContextId;
}
