// Work that may fail without consequence, for example closing a page that is gone. Each failure is counted and logged by
// the name of the work, never with text of a page or an address: `what` is always a literal of our own code.

import { nameOf } from './error-name.ts';

type Listener = (what: string, errorName: string) => void;

let listener: Listener | undefined;

/** One listener for the process: it logs and counts. */
export function onIgnoredError(next: Listener | undefined): void {
  listener = next;
}

/** The outcome of the work, or undefined where it fails. */
export function bestEffort<T>(what: string, work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    listener?.(what, nameOf(error));
    return undefined;
  });
}

/** The rejection of this promise is handled where it is awaited later; until then it must not end the process. */
export function handledLater(work: Promise<unknown>): void {
  work.catch(() => undefined);
}
