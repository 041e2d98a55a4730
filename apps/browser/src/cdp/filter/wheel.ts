// Takes the session out of the hands of one guest, and gives it back. After `fence` nothing of the guest goes on; after
// `release` its client knows the pages as they are, without having connected again.

import { type Deadline, within } from '../../common/deadline.ts';
import type { Driven } from '../fence/while-driven.ts';
import type { Command } from '../multiplexer.ts';
import { type CommandFilter, type Parts, textOf } from './command-filter.ts';
import { type EventFilter, tell } from './event-filter.ts';
import { type FrameTree, frameNews } from './frames.ts';
import { createAsk, createStopGuest } from './stop-guest.ts';

/** What a page that does not answer in this time knows of its frames is told in full later. */
const snapshotMs = 250;
const catchUpMs = 500;
const titleMs = 250;

export type Wheel = {
  /** Rejects where something of the guest does not end. */
  fence(driven: Driven, deadline: Deadline): Promise<void>;
  release(epoch: number, deadline: Deadline): Promise<void>;
};

type Options = {
  parts: Parts;
  commands: CommandFilter;
  events: EventFilter;
  setDriven(driven: Driven | undefined): void;
  /** Whether a page of the session has an open dialog: then it has received what was under way, and answers nothing. */
  isHalted(): boolean;
};

export function createWheel({ parts, commands, events, setDriven, isHalted }: Options): Wheel {
  const { guest, targets, withheld, switches, deliver } = parts;
  const stop = createStopGuest(parts, isHalted);
  /** The frames as clients knew them when nothing more was told, by session. */
  const known = new Map<string, FrameTree>();
  const ask = createAsk(parts);
  const emit = (method: string, params: object, sessionId = guest.root) =>
    deliver(textOf({ method, params, sessionId }, guest));
  const tellAll = (all: Command[]) => {
    for (const { method, params = {}, sessionId = guest.root } of all) tell(guest, method, params, sessionId);
  };

  async function snapshot(sessionId: string): Promise<void> {
    const tree = await ask<{ frameTree: FrameTree }>('Page.getFrameTree', sessionId).catch(() => undefined);
    if (tree) known.set(sessionId, tree.frameTree);
    withheld.settled(sessionId);
  }

  /** One page as its client has to know it. */
  async function catchUp(sessionId: string): Promise<void> {
    const { page, runtime, lifecycle, dialog, closedUnseen } = parts.enabled.of(sessionId);
    if (closedUnseen) emit('Page.javascriptDialogClosed', { frameId: '', result: false, userInput: '' }, sessionId);
    if (dialog && !dialog.isTold) deliver(dialog.event);
    parts.enabled.dialogTold(sessionId);
    const tree = page
      ? await ask<{ frameTree: FrameTree }>('Page.getFrameTree', sessionId).catch(() => undefined)
      : undefined;
    if (parts.driven()) return;
    for (const { method, params } of tree ? frameNews(known.get(sessionId), tree.frameTree) : [])
      emit(method, params, sessionId);
    if (runtime) tellContexts(parts, sessionId);
    withheld.settled(sessionId);
    // Chromium says again which of them each document has reached.
    if (lifecycle)
      for (const enabled of [false, true]) tell(guest, 'Page.setLifecycleEventsEnabled', { enabled }, sessionId);
  }

  return {
    async fence(driven, deadline) {
      const isNew = parts.driven() === undefined;
      setDriven(driven);
      if (!isNew) return;
      const pages = parts.enabled.pages();
      known.clear();
      withheld.start(pages);
      tellAll(switches.off());
      const snapshots = Promise.all(pages.map(snapshot));
      await stop(driven, deadline);
      await within(deadline.atMost(snapshotMs), snapshots).catch(() => undefined);
      for (const sessionId of pages) withheld.settled(sessionId);
      if (parts.whileDriven === 'wait')
        for (const one of pages) if (parts.enabled.of(one).runtime) emit('Runtime.executionContextsCleared', {}, one);
      emit('Pilothouse.wheelTaken', { epoch: driven.epoch, driver: driven.by });
    },
    async release(epoch, deadline) {
      if (!parts.driven()) return;
      const pages = parts.enabled.pages();
      const count = withheld.stop(pages);
      for (const event of [...events.lateSessions(), ...targets.news()]) deliver(textOf(event, guest));
      setDriven(undefined);
      emit('Pilothouse.wheelReturned', { epoch, withheld: count });
      // Before it hears of other documents: for these Playwright drops what it waits for, and says that the title is empty.
      if (commands.resumeTitles()) await parts.underWay.idle(titleMs);
      if (parts.driven()) return;
      const caughtUp = Promise.all(pages.map(catchUp));
      tellAll(switches.on());
      commands.resume();
      await within(deadline.atMost(catchUpMs), caughtUp).catch(() => undefined);
    },
  };
}

/** Clients keep what a script said in a context: they begin again with each. */
function tellContexts({ guest, worlds, deliver }: Parts, sessionId: string): void {
  deliver(textOf({ method: 'Runtime.executionContextsCleared', params: {}, sessionId }, guest));
  for (const context of worlds.shown(sessionId))
    deliver(textOf({ method: 'Runtime.executionContextCreated', params: { context }, sessionId }, guest));
}
