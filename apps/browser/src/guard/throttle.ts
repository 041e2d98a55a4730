// Bytes on their way through the guard. All sessions of a host share one loop, so none may fill it.

import type { Readable, Writable } from 'node:stream';

export type Throttle = (from: Readable, to: Writable) => void;

/** How much may come through in a row, and how fast the rest; and who wants to know when it is not as fast as it could. */
type Pace = { burstBytes: number; bytesPerSec: number; onSlowed?: (() => void) | undefined };

/**
 * As `pipe` does, but one piece in a turn of the loop, where two megabytes at once would be read of a stream that comes
 * as fast as it can; and who has taken much in a row is slowed down to what leaves room for others.
 */
export function createThrottle({ burstBytes, bytesPerSec, onSlowed }: Pace, now = () => performance.now()): Throttle {
  let left = burstBytes;
  let countedAt = now();

  /** How long to wait before the next piece. */
  function take(bytes: number): number {
    left = Math.min(burstBytes, left + ((now() - countedAt) * bytesPerSec) / 1000) - bytes;
    countedAt = now();
    return left >= 0 ? 0 : (-left * 1000) / bytesPerSec;
  }

  return (from, to) => {
    const goOn = () => void from.resume();
    from.on('data', (piece: Buffer) => {
      from.pause();
      const waitMs = take(piece.length);
      if (waitMs >= 1) onSlowed?.();
      const next = () => void (waitMs >= 1 ? setTimeout(goOn, waitMs) : setImmediate(goOn));
      if (to.write(piece)) next();
      else to.once('drain', next);
    });
    from.once('end', () => to.end());
  };
}
