// The frames of a host without browsers: random bytes at a steady rate, while a server asks for them.

import { type Bus, frame } from '@pilothouse/bus';
import { sampleFrame } from '../../packages/bus/testing/frame.ts';

type Session = { host_id: string; session_id: string };

export function showFrames(bus: Bus, to: Session, { everyMs, epoch }: { everyMs: number; epoch: () => number }) {
  const frames = bus.publishNewest(frame, to);
  let [seq, watchedUntil] = [0, 0];
  const sending = setInterval(() => {
    if (performance.now() > watchedUntil) return;
    seq += 1;
    const { header, image } = sampleFrame({ seq, sessionId: to.session_id });
    frames.put({ header: { ...header, epoch: epoch(), recorded_at: new Date().toISOString() }, image });
  }, everyMs);
  return {
    watch(forMs: number): void {
      watchedUntil = performance.now() + forMs;
    },
    close(): void {
      clearInterval(sending);
      frames.close();
    },
  };
}
