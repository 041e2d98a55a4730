import type { ConnectionState, StreamEvent } from '../stream.ts';
import type { FromTab, Proof, Refusal, ToFollower } from './messages.ts';

/** A tab as the worker knows it. */
export type Tab = {
  /** Asks for what lets a request in. */
  prove(login: string, refused: string | undefined): Promise<Proof>;
};

/** One stream that one tab follows. However slow the tab is, nobody else waits for it. */
export type Follower = {
  tab: Tab;
  tell(event: StreamEvent, cursor: string | undefined): void;
  tellState(state: ConnectionState): void;
  refuse(refusal: Refusal): void;
  /** Nothing more is told: the tab goes on by itself from where it is. */
  leaveBehind(): void;
  onTaken(message: FromTab & { type: 'taken' }): void;
};

/** What a tab may leave unread before it has to go on from its cursor. */
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
        // The newest wins: one is with the tab, and one waits until that is used.
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
