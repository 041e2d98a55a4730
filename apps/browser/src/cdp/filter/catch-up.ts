// Tells a client of one page what changed while another drove, so that it goes on without having connected again. It must never
// tell a client that something is gone while the client waits for an answer about it.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Deadline, startDeadline, within } from '../../common/deadline.ts';
import type { Driven } from '../fence/while-driven.ts';
import { type CommandFilter, type Parts, textOf } from './command-filter.ts';
import { tell } from './event-filter.ts';
import { type FrameTree, frameNews } from './frames.ts';
import { createAsk } from './stop-guest.ts';

/** What a client says again at once when it was refused, it has said after this time. */
const sayMs = 15;
/** A client that is further away than that, or stands still, is not waited for. */
const hearMs = 600;
const readTitle = { expression: 'document.title', returnByValue: true };

type Tree = { frameTree: FrameTree } | undefined;
type Options = {
  parts: Parts;
  commands: CommandFilter;
  /** Pages that the client does not know as they are, and who drove them. */
  behind: Map<string, Driven>;
  /** The frames that it knows, by session. */
  known: Map<string, FrameTree>;
};

/** The frames of a page. Undefined where it does not say. */
export function createTreeOf(parts: Parts) {
  const ask = createAsk(parts);
  return (sessionId: string) => ask<{ frameTree: FrameTree }>('Page.getFrameTree', sessionId).catch(() => undefined);
}

/**
 * What the client says of the page meanwhile is refused, but not before the end: then it has nothing under way when it hears that
 * documents or contexts are gone. Clients take what they wait for to be empty then: a list without items, a page without a title.
 */
export function createCatchUp({ parts, commands, behind, known }: Options) {
  const { guest, withheld, deliver } = parts;
  const ask = createAsk(parts);
  const treeOf = createTreeOf(parts);
  return async (sessionId: string): Promise<void> => {
    const { page, runtime, lifecycle } = tellDialogs(parts, sessionId);
    const from = behind.get(sessionId);
    const isStale = () => parts.driven() !== undefined || behind.get(sessionId) !== from;
    const hearing = startDeadline(hearMs, new AbortController().signal);
    let tree: Tree;
    let title: object | undefined;
    do {
      commands.wasHelped(sessionId);
      await hearOut(parts, hearing);
      [tree, title] = await Promise.all([
        page ? treeOf(sessionId) : undefined,
        runtime ? ask<object>('Runtime.evaluate', sessionId, readTitle).catch(() => undefined) : undefined,
      ]);
    } while (!isStale() && commands.wasHelped(sessionId));
    if (isStale()) return;
    if (title) commands.answerTitles(sessionId, title);
    commands.refuseLate(sessionId);
    for (const { method, params } of tree ? frameNews(known.get(sessionId), tree.frameTree) : [])
      deliver(textOf({ method, params, sessionId }, guest));
    if (runtime) tellContexts(parts, sessionId);
    behind.delete(sessionId);
    withheld.settled(sessionId);
    // Chromium says again which of them each document has reached.
    if (lifecycle)
      for (const enabled of [false, true]) tell(guest, 'Page.setLifecycleEventsEnabled', { enabled }, sessionId);
  };
}

/** Until what the client says at once of what it was told is here. One that was held up says it only after it was heard of once. */
async function hearOut({ roundTrip }: Parts, deadline: Deadline): Promise<void> {
  await sleep(sayMs);
  const heard = roundTrip().then(roundTrip);
  await within(deadline, heard).catch(() => undefined);
}

/** Returns what the client has asked to be told of. */
function tellDialogs({ guest, enabled, deliver }: Parts, sessionId: string) {
  const { dialog, closedUnseen, ...asked } = enabled.of(sessionId);
  const closed = { frameId: '', result: false, userInput: '' };
  if (closedUnseen) deliver(textOf({ method: 'Page.javascriptDialogClosed', params: closed, sessionId }, guest));
  if (dialog && !dialog.isTold) deliver(dialog.event);
  enabled.dialogTold(sessionId);
  return asked;
}

/** A client that waits was told that there are none. The others go on with those that they know and that are still there. */
function tellContexts({ guest, worlds, contexts, whileDriven, deliver }: Parts, sessionId: string): void {
  const now = worlds.shown(sessionId);
  if (whileDriven === 'wait') contexts.start(sessionId, []);
  for (const { method, params } of contexts.news(sessionId, now)) deliver(textOf({ method, params, sessionId }, guest));
}
