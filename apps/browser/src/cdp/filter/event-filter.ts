// What one guest hears: events of what it may see, and none while another drives. What happens meanwhile is learned all
// the same, so that the guest can be told when it drives again.

import type { Guest } from '../multiplexer.ts';
import { methodOf, withoutSession } from '../raw-message.ts';
import { type Parts, textOf } from './command-filter.ts';
import type { Params } from './rules.ts';
import type { TargetInfo, ToldEvent } from './targets.ts';
import { isOfWorlds } from './worlds.ts';

export type EventFilter = {
  take(event: Buffer, sessionId: string): void;
  /** Sessions that came and went while nothing was told. It is asked once. */
  lateSessions(): ToldEvent[];
};

const isOfDialogs = (method: string): boolean => method.startsWith('Page.javascriptDialog');

type Attached = Params & { sessionId: string; targetInfo: TargetInfo };

/** A command of our own in a session of the guest, whose answer does not matter. */
export function tell(guest: Guest, method: string, params: object, sessionId: string): void {
  if (guest.owns(sessionId)) guest.send({ method, params, sessionId }, () => {});
}

export function createEventFilter(parts: Parts): EventFilter {
  const { guest, targets, worlds, sessions, enabled, withheld, deliver } = parts;
  const late = createLateSessions();
  const crashes = createCrashes(guest);
  const pass = (method: string, params: Params, sessionId: string) =>
    deliver(textOf({ method, params, sessionId }, guest));
  const learn = (method: string, params: Params) => {
    for (const event of targets.take(method, params, !withheld.isOn())) deliver(textOf(event, guest));
    if (method === 'Target.targetCrashed') crashes.crashed(params);
  };

  function attached(params: Attached, parent: string): void {
    const { sessionId, targetInfo } = params;
    const isBrowser = targetInfo.type === 'browser';
    // What comes of a page of the session is the session's too.
    const isOwn = isBrowser || targets.isOwn(targetInfo) || !sessions.isBrowser(parent);
    const isLate = withheld.isOn() && !isBrowser;
    const isWaiting = isOwn && !isLate && params.waitingForDebugger === true;
    sessions.add(sessionId, { isBrowser, isShown: isOwn, isWaiting });
    if (isOwn) parts.sights.attached(sessionId, targetInfo);
    // A page of another driver waits for nobody.
    if (!isOwn || isLate) tell(guest, 'Runtime.runIfWaitingForDebugger', {}, sessionId);
    if (!isOwn) {
      tell(guest, 'Target.detachFromTarget', { sessionId }, parent);
      return;
    }
    if (!isBrowser) learn('Target.targetCreated', params);
    crashes.attached(sessionId, targetInfo, parent);
    if (isLate) late.attached(params, parent);
    else pass('Target.attachedToTarget', { ...params, targetInfo: targets.shown(targetInfo) }, parent);
  }

  function detached(params: Params, parent: string): void {
    const sessionId = String(params.sessionId);
    if (sessions.isShown(sessionId) && !late.detached(params, parent, withheld.isOn()))
      pass('Target.detachedFromTarget', params, parent);
    for (const one of [sessions, targets, worlds, enabled, parts.heldDown, parts.switches, parts.sights, crashes])
      one.forget(sessionId);
  }

  function ofTargets(method: string, params: Params, parent: string): void {
    if (method === 'Target.attachedToTarget')
      attached(params as Attached, parent); // as the protocol has it
    else if (method === 'Target.detachedFromTarget') detached(params, parent);
    else if (parent === guest.root) learn(method, params);
  }

  function noteDialog(method: string, event: Buffer, sessionId: string, isTold: boolean): void {
    if (method === 'Page.javascriptDialogOpening') enabled.dialogOpened(sessionId, event.toString(), isTold);
    if (method === 'Page.javascriptDialogClosed') enabled.dialogClosed(sessionId, isTold);
  }

  return {
    take(event, sessionId) {
      if (!sessions.isShown(sessionId)) return;
      const method = methodOf(event) ?? '';
      const isOfTargets = method.startsWith('Target.');
      const isTold = withheld.isTold(sessionId);
      if (!isTold) withheld.note();
      if (isOfTargets || isOfWorlds(method)) {
        const { params = {} } = JSON.parse(event.toString()) as { params?: Params };
        if (!isOfTargets) parts.sights.noteContexts(sessionId, method, params);
        const shown = isOfTargets ? undefined : worlds.take(sessionId, method, params);
        if (isOfTargets) ofTargets(method, params, sessionId);
        else if (shown && isTold) pass(method, shown, sessionId);
        return;
      }
      // A page with a dialog cannot say how it is, so its client is not kept waiting for that.
      const isToldNow = isTold || (isOfDialogs(method) && !withheld.isOn());
      noteDialog(method, event, sessionId, isToldNow);
      if (isToldNow) deliver(sessionId === guest.root ? withoutSession(event) : event.toString());
      if (method === 'Inspector.targetCrashed') crashes.wasCrashed(sessionId);
    },
    lateSessions: () =>
      late.take().map(({ method, params, sessionId }) => {
        const info = params.targetInfo as TargetInfo | undefined; // as the protocol has it
        return { sessionId, method, params: info ? { ...params, targetInfo: targets.shown(info) } : params };
      }),
  };
}

/**
 * A page that has crashed answers nothing, so another driver would wait for it. And Chromium keeps the commands of the guest, and runs
 * them when the next driver loads the page again. It drops them with the guest's session of that page.
 */
function createCrashes(guest: Guest) {
  const known = new Map<string, { targetId: string; parent: string }>();
  const lose = (sessionId: string, parent: string) => tell(guest, 'Target.detachFromTarget', { sessionId }, parent);
  return {
    attached(sessionId: string, { targetId, type }: TargetInfo, parent: string): void {
      known.set(sessionId, { targetId, parent });
      if (type === 'page') tell(guest, 'Inspector.enable', {}, sessionId);
    },
    forget(sessionId: string): void {
      known.delete(sessionId);
    },
    crashed({ targetId }: Params): void {
      for (const [sessionId, one] of known) if (one.targetId === targetId) lose(sessionId, one.parent);
    },
    /** Chromium says so of a page that had crashed before. */
    wasCrashed(sessionId: string): void {
      const one = known.get(sessionId);
      if (one) lose(sessionId, one.parent);
    },
  };
}

/** Sessions that came or went while nothing was told, in order. One that came and went is nothing. */
function createLateSessions() {
  let events: { method: string; params: Params; sessionId: string }[] = [];
  return {
    attached(params: Attached, parent: string): void {
      const seen = { ...params, waitingForDebugger: false };
      events.push({ method: 'Target.attachedToTarget', params: seen, sessionId: parent });
    },
    /** True where the guest is not to be told now. */
    detached(params: Params, parent: string, isLate: boolean): boolean {
      const isSame = ({ method, params: one }: (typeof events)[number]) =>
        method === 'Target.attachedToTarget' && one.sessionId === params.sessionId;
      const wasLate = events.some(isSame);
      events = events.filter((one) => !isSame(one));
      if (!wasLate && isLate) events.push({ method: 'Target.detachedFromTarget', params, sessionId: parent });
      return wasLate || isLate;
    },
    take() {
      const taken = events;
      events = [];
      return taken;
    },
  };
}
