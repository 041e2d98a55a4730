// How long the wheel stays mine without input: a ring that empties, and the time in it.

import { TimeText } from '../common/time-text.tsx';
import { useTime } from '../common/use-time.ts';
import { describeClock } from '../live/describe-time.ts';

const radius = 8.5;
const around = 2 * Math.PI * radius;
const fullMs = 300_000;

/** It is drawn again when it has become shorter by half a point. */
const steps = Math.round(around * 2);

export function LeaseRing({ readEnd }: { readEnd: (now: number) => string | undefined }) {
  const leftMs = (now: number) => Math.max(0, Date.parse(readEnd(now) ?? '') - now || 0);
  const share = useTime((now) => Math.min(1, Math.ceil((leftMs(now) / fullMs) * steps) / steps));
  return (
    <span
      data-testid="lease"
      title="The wheel goes back when it runs out. Everything you do renews it."
      className="inline-flex items-center gap-2 font-semibold whitespace-nowrap tabular-nums"
    >
      <svg viewBox="0 0 22 22" fill="none" strokeWidth={2.5} aria-hidden="true" className="size-[22px] -rotate-90">
        <circle cx="11" cy="11" r={radius} stroke="currentColor" opacity={0.28} />
        <circle
          cx="11"
          cy="11"
          r={radius}
          stroke="currentColor"
          strokeLinecap="round"
          strokeDasharray={`${share * around} ${around}`}
        />
      </svg>
      <TimeText read={(now) => describeClock(leftMs(now))} />
    </span>
  );
}
