// The doors through which programs drive a session, and who drives instead of them. A program drives only while its own epoch
// is the newest: whatever else takes the session, fences them all first.

import type { ProgramAct } from '@pilothouse/bus';
import type { BrowserContext, Page } from 'playwright-core';
import type { Driven } from '../cdp/fence/while-driven.ts';
import { type Door, type DoorOptions, openDoor } from '../cdp/filter/door.ts';
import type { Chromium } from '../chromium/launch.ts';
import { bestEffort } from '../common/best-effort.ts';
import { type Deadline, startDeadline, within } from '../common/deadline.ts';
import { StepFailure } from '../common/failure.ts';
import type { HandOver } from '../driver/hand-over.ts';
import type { Dialogs } from '../pages/dialogs.ts';
import type { Pages } from '../pages/pages.ts';

/** As long as a page may take to stop for a new driver. */
const fenceMs = 1000;
const releaseMs = 1000;
const openMs = 5000;
/** Fences that fail in a row before the browser is ended. */
const maxFailures = 2;
const maxDoors = 8;

export type ProgramDoor = Pick<Door, 'take' | 'tellActs' | 'close'>;
export type ProgramDoorOptions = Pick<DoorOptions, 'deliver' | 'onEnd' | 'whileDriven'> & {
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
  firstEpoch: number;
  epoch: () => number;
  /** Whether this host may act now. */
  isHeld: () => boolean;
  signal: AbortSignal;
  /** A program acts. */
  onAct: () => void;
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
  let contextId: Promise<string> | undefined;
  const ownPages = () => pages.all().filter((page) => !pages.isBeside(page));
  const halted = createHalted(ownPages, dialogs);

  async function fence(): Promise<void> {
    driven = { epoch: epoch(), by: offered };
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
    driven = undefined;
    programEpoch = at;
    const deadline = startDeadline(releaseMs, signal);
    await Promise.all([...doors].map((door) => door.release(at, deadline)));
  }

  return {
    hasAny: () => doors.size > 0,
    async open({ deliver, onEnd, whileDriven, onActs }) {
      if (doors.size >= maxDoors) throw new StepFailure('full', 'too many programs are connected to this session');
      const deadline = startDeadline(openMs, signal);
      contextId ??= readContextId(context, ownPages()[0] ?? pages.current(), deadline);
      const id = await contextId.catch((error) => {
        contextId = undefined;
        throw error;
      });
      const before = driven;
      const shared = { openGuest: chromium.openGuest, contextId: id, onAct, isHeld: options.isHeld, ...halted };
      const told = { deliver, onEnd, onActs: onActs && ((acts: ProgramAct[]) => onActs(acts, programEpoch)) };
      const door = await openDoor({ ...shared, ...told, whileDriven, driven: before }, deadline);
      doors.add(door);
      onCount();
      // The driver may have changed while it was opened.
      if (driven && !before) await door.fence(driven, startDeadline(fenceMs, signal));
      if (!driven && before) await door.release(epoch(), startDeadline(releaseMs, signal));
      return {
        take: door.take,
        tellActs: door.tellActs,
        async close() {
          if (!doors.delete(door)) return;
          onCount();
          // Buttons and keys that it holds are let go of.
          const fenced = door.fence({ epoch: epoch(), by: 'unknown' }, startDeadline(fenceMs, signal));
          await bestEffort('stop a program', fenced);
          await door.close();
        },
      };
    },
    fence,
    following: (handOver) => async (next, who) => {
      if (who !== 'program' && next >= epoch()) offered = who;
      const isTaken = await handOver(next, who);
      if (isTaken && who === 'program') await release(next);
      return isTaken;
    },
    close() {
      for (const door of doors) void door.close();
      doors.clear();
    },
  };
}

/** Whether a dialog holds up a page, and what answers it. Those of a person's private tabs are none of a program's. */
function createHalted(
  ownPages: () => Page[],
  dialogs: Dialogs,
): Required<Pick<DoorOptions, 'isHalted' | 'answerDialog'>> {
  const asking = () => ownPages().find((page) => dialogs.of(page) !== null);
  return {
    isHalted: () => asking() !== undefined,
    async answerDialog(accept, text) {
      const page = asking();
      return page ? dialogs.answer(page, accept, text) : false;
    },
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
