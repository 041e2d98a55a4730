// One stream that one tab follows, in the shared worker. A slow tab never delays another.

import type { ConnectionState, StreamEvent } from '../streams/stream.ts';
import type { FromTab, Proof, Refusal, ToFollower } from './messages.ts';

export type Tab = {
  /** Asks the tab for the headers that authenticate a request. */
  prove(login: string, refused: string | undefined): Promise<Proof>;
};

export type Follower = {
  tab: Tab;
  tell(event: StreamEvent, cursor: string | undefined): void;
  tellState(state: ConnectionState): void;
  refuse(refusal: Refusal): void;
  /** Sends nothing more: the tab continues over a connection of its own. */
  leaveBehind(): void;
  onTaken(message: FromTab & { type: 'taken' }): void;
};

/** The most events that a tab may leave unread before it has to continue from its cursor. */
const maxUnread = 500;

type Options = { tab: Tab; post: (message: ToFollower) => void; onBehind: () => void };

export function createFollower({ tab, post, onBehind }: Options): Follower {
  let unread = 0;
  let isFrameOut = false;
  let newestFrame: StreamEvent | undefined;
  let isOver = false;

  const sendFrame = () => {
    if (!newestFrame) return;
    isFrameOut = true;
    post({ type: 'event', event: newestFrame, cursor: undefined });
    newestFrame = undefined;
  };

  const leaveBehind = () => {
    if (isOver) return;
    isOver = true;
    post({ type: 'behind' });
  };

  return {
    tab,
    tell(event, cursor) {
      if (isOver) return;
      if (event.type === 'frame') {
        // Only the newest frame is kept: the tab has one, and one waits until that is used.
        newestFrame = event;
        if (!isFrameOut) sendFrame();
        return;
      }
      unread += 1;
      if (unread <= maxUnread) return post({ type: 'event', event, cursor });
      leaveBehind();
      onBehind();
    },
    tellState(state) {
      if (!isOver) post({ type: 'state', state });
    },
    refuse(refusal) {
      if (!isOver) post({ type: 'refused', refusal });
      isOver = true;
    },
    leaveBehind,
    onTaken({ isFrame }) {
      if (!isFrame) unread -= 1;
      else {
        isFrameOut = false;
        if (!isOver) sendFrame();
      }
    },
  };
}
