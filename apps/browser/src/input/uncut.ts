// A deadline that a new driver does not cut short: the new driver waits for what was begun, because the browser would
// do it all the same, only later.

import { type Deadline, startDeadline } from '../common/deadline.ts';

export const uncut = (ms: number): Deadline => startDeadline(ms, new AbortController().signal);
