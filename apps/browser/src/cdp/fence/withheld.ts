// Which events a guest is told. While another drives it is told none; a session changes over when the state that its client
// knows has been written down, or was brought up to date.

export type Withheld = {
  /** Whether another drives, so that what comes is not told. */
  isOn(): boolean;
  isTold(sessionId: string): boolean;
  /** Withholds the events of all sessions; of these as soon as each is `settled`. */
  start(unsettled: Iterable<string>): void;
  /** Tells the events of all sessions; of these as soon as each is `settled`. Returns how many were withheld. */
  stop(unsettled: Iterable<string>): number;
  settled(sessionId: string): void;
  note(): void;
};

export function createWithheld(): Withheld {
  let isOn = false;
  let count = 0;
  let unsettled = new Set<string>();
  return {
    isOn: () => isOn,
    isTold: (sessionId) => isOn === unsettled.has(sessionId),
    start(sessions) {
      isOn = true;
      count = 0;
      unsettled = new Set(sessions);
    },
    stop(sessions) {
      isOn = false;
      unsettled = new Set(sessions);
      return count;
    },
    settled: (sessionId) => void unsettled.delete(sessionId),
    note() {
      count += 1;
    },
  };
}
