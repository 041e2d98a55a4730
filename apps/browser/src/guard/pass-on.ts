import type { Readable, Writable } from 'node:stream';

/**
 * As `pipe` does, but one piece in a turn of the loop: a stream that comes as fast as it can would otherwise have two
 * megabytes read at once, and whatever else this process does, for other sessions too, would wait for that each time.
 */
export function passOn(from: Readable, to: Writable): void {
  const goOn = () => void from.resume();
  from.on('data', (piece: Buffer) => {
    from.pause();
    if (to.write(piece)) setImmediate(goOn);
    else to.once('drain', goOn);
  });
  from.once('end', () => to.end());
}
