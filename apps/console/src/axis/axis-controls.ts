// What the time axis is given: what its buttons do, and where pictures come from.

import type { Speed } from './playback.ts';
import type { RecordedFrame } from './use-recording.ts';

export type AxisControls = {
  /** The moment that is looked back to; undefined while live. */
  at: number | undefined;
  isPlaying: boolean;
  speed: Speed;
  /** Steps that ended since the person began to look back. */
  newSteps: number;
  /** `isSettling`: the person still drags. */
  onSeek: (at: number, isSettling?: boolean) => void;
  onLive: () => void;
  onPlay: () => void;
  onSpeed: () => void;
  onStep: (direction: -1 | 1) => void;
};

/** Where the pictures of moments come from. */
export type PictureSource = { sessionId: string; frames: readonly RecordedFrame[] };
