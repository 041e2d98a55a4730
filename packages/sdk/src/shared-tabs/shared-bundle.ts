// All streams that the tabs follow with one login at one server, over one response. When a follower comes or goes, the
// response is opened again with the cursors of all followers, so that no event is missed or sent twice.

import { followBundle } from '../streams/bundle.ts';
import { createBundleRequest, toRefusal } from './bundle-request.ts';
import { createFollowers, type SharedPosition } from './followers.ts';
import type { Refusal } from './messages.ts';
import type { Turns } from './turns.ts';

type Options = {
  baseUrl: string;
  login: string;
  turns: Turns;
  /** How long a position is carried while other positions of the same stream wait. */
  turnMs: number;
  fetch: typeof fetch;
  /** Called when the last follower has left. */
  onEmpty: () => void;
};

/** Tabs that come or go within this time change the response once. */
const settleMs = 40;

export type SharedBundle = ReturnType<typeof createSharedBundle>;

export function createSharedBundle({ baseUrl, login, turns, turnMs, fetch, onEmpty }: Options) {
  const followers = createFollowers({ onChange: reopenSoon });
  const connect = createBundleRequest({ baseUrl, login, fetch, tabs: followers.tabs });
  let isRunning = false;
  let reopening = new AbortController();
  let isDue = false;

  async function run(): Promise<void> {
    while (!followers.isEmpty()) {
      reopening = new AbortController();
      const { signal } = reopening;
      const giveWay = () => {
        followers.tellState('reconnecting');
        reopening.abort();
      };
      const turn = await turns.enter(giveWay, signal).catch(() => undefined);
      if (!turn) continue;
      const { carried, giving } = followers.choose();
      const endOfTurn = giving.length > 0 ? setTimeout(giveWayTo, turnMs, giving) : undefined;
      try {
        await carry(carried, signal);
      } catch (error) {
        // After an abort of our own, it is opened again.
        if (!signal.aborted) refuse(carried, toRefusal(error));
      } finally {
        clearTimeout(endOfTurn);
        turn.leave();
      }
    }
  }

  /** A server of an earlier release takes no request that names an inbox: the other streams go on without it. */
  function refuse(carried: SharedPosition[], refusal: Refusal): void {
    const inboxes = carried.filter(({ kind }) => kind === 'inbox');
    const isOfInbox = refusal.problem?.code === 'validation_failed' && inboxes.length > 0;
    for (const position of isOfInbox ? inboxes : carried) followers.refuse(position, refusal);
  }

  function giveWayTo(giving: SharedPosition[]): void {
    followers.moveToEnd(giving);
    followers.tellState('reconnecting', giving);
    reopening.abort();
  }

  async function carry(carried: SharedPosition[], signal: AbortSignal): Promise<void> {
    const onConnection = (state: Parameters<typeof followers.tellState>[0]) => followers.tellState(state, carried);
    const streams = carried.map(({ name, cursor }) => (cursor === undefined ? name : `${name}@${cursor}`));
    // Events that arrived before an abort are still delivered, and only then the next response begins.
    for await (const event of followBundle({ streams, connect, signal, onConnection })) followers.receive(event);
  }

  function reopenSoon(): void {
    if (isDue) return;
    isDue = true;
    const reopen = () => {
      isDue = false;
      reopening.abort();
      if (!isRunning) start();
    };
    setTimeout(reopen, followers.isEmpty() ? 0 : settleMs);
  }

  function start(): void {
    isRunning = true;
    void run().finally(() => {
      isRunning = false;
      followers.forgetState();
      // A follower may have come at the very end.
      if (followers.isEmpty()) onEmpty();
      else reopenSoon();
    });
  }

  return { add: followers.add, remove: followers.remove };
}
