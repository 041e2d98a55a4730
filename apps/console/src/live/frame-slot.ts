// The newest frame of a session, outside React: frames come ten times a second, and only the canvas wants them.

import type { Frame } from './api-types.ts';

export type FrameSlot = {
  put(frame: Frame): void;
  newest(): Frame | undefined;
  /** Calls the listener for every frame from now on. Returns a function that removes it. */
  onFrame(listener: (frame: Frame) => void): () => void;
};

export function createFrameSlot(): FrameSlot {
  let newest: Frame | undefined;
  const listeners = new Set<(frame: Frame) => void>();
  return {
    put(frame) {
      newest = frame;
      for (const listener of listeners) listener(frame);
    },
    newest: () => newest,
    onFrame(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
