// A text that changes with the time, by itself: nothing around it is drawn again.

import { useTime } from './use-time.ts';

export function TimeText({ read }: { read: (now: number) => string }) {
  return useTime(read);
}
