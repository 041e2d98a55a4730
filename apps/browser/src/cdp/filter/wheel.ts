// Takes the session out of the hands of one guest, and gives it back. After `fence` nothing of the guest goes on; after
// `release` its client knows the pages as they are, without having connected again.

import { type Deadline, within } from '../../common/deadline.ts';
import type { Driven } from '../fence/while-driven.ts';
import type { Command } from '../multiplexer.ts';
import { createCatchUp, createTreeOf } from './catch-up.ts';
import { type CommandFilter, type Parts, textOf } from './command-filter.ts';
import { type EventFilter, tell } from './event-filter.ts';
import type { FrameTree } from './frames.ts';
import { createStopGuest } from './stop-guest.ts';

/** What a page that does not answer in this time knows of its frames is told in full later. */
const snapshotMs = 250;
const catchUpMs = 1000;

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
  /** Pages that the client does not know as they are, and who drove them. What it says of them is refused until then. */
  behind: Map<string, Driven>;
  /** Whether a page of the session has an open dialog: then it has received what was under way, and answers nothing. */
  isHalted(): boolean;
};

export function createWheel({ parts, commands, events, setDriven, behind, isHalted }: Options): Wheel {
  const { guest, targets, withheld, switches, deliver } = parts;
  const stop = createStopGuest(parts, { isHalted, cut: commands.cut });
  /** The frames as clients knew them when nothing more was told, by session. */
  const known = new Map<string, FrameTree>();
  const emit = (method: string, params: object, sessionId = guest.root) =>
    deliver(textOf({ method, params, sessionId }, guest));
  const tellAll = (all: Command[]) => {
    for (const { method, params = {}, sessionId = guest.root } of all) tell(guest, method, params, sessionId);
  };
  const treeOf = createTreeOf(parts);
  let snapshots: Promise<unknown> = Promise.resolve();
  /** Whether nothing of the guest goes on. A door that is opened while another drives has not begun anything. */
  let isStopped = true;
  const catchUp = createCatchUp({ parts, commands, behind, known });

  /** What the client knows of a page from now on. One that it does not know as it is, it knows as before. */
  async function snapshot(sessionId: string): Promise<void> {
    if (behind.delete(sessionId)) return;
    known.delete(sessionId);
    const tree = await treeOf(sessionId);
    if (tree) known.set(sessionId, tree.frameTree);
    settle(sessionId);
  }

  /** Until here it was told of what happened in this page. */
  function settle(sessionId: string): void {
    if (!withheld.isTold(sessionId)) return;
    parts.contexts.start(sessionId, parts.worlds.shown(sessionId));
    withheld.settled(sessionId);
  }

  /** From here on the client is told nothing. */
  function begin(): void {
    isStopped = false;
    commands.refuseLate();
    commands.refuseWaiting();
    const pages = parts.enabled.pages();
    withheld.start(pages.filter((sessionId) => !behind.has(sessionId)));
    tellAll(switches.off());
    snapshots = Promise.all(pages.map(snapshot));
  }

  return {
    async fence(driven, deadline) {
      const isNew = parts.driven() === undefined;
      setDriven(driven);
      if (isNew) begin();
      // One that failed has stopped nothing for sure: the next is no sooner over than the first would have been.
      if (isStopped) return;
      await stop(driven, deadline);
      isStopped = true;
      await within(deadline.atMost(snapshotMs), snapshots).catch(() => undefined);
      for (const sessionId of parts.enabled.pages()) settle(sessionId);
      if (parts.whileDriven === 'wait')
        for (const one of parts.enabled.pages())
          if (parts.enabled.of(one).runtime) emit('Runtime.executionContextsCleared', {}, one);
      emit('Pilothouse.wheelTaken', { epoch: driven.epoch, driver: driven.by });
    },
    async release(epoch, deadline) {
      const driven = parts.driven();
      if (!driven) return;
      const pages = parts.enabled.pages();
      const count = withheld.stop(pages);
      for (const event of [...events.lateSessions(), ...targets.news()]) deliver(textOf(event, guest));
      for (const one of pages) behind.set(one, driven);
      setDriven(undefined);
      tellAll(switches.on());
      await within(deadline.atMost(catchUpMs), Promise.all(pages.map(catchUp))).catch(() => undefined);
      if (parts.driven()) return;
      behind.clear();
      emit('Pilothouse.wheelReturned', { epoch, withheld: count });
      commands.resume();
    },
  };
}
