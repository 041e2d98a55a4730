// Runs the same work after each of several times, unless it is closed before.

/** The longest timer of Node; what is later runs then. */
const maxTimerMs = 2 ** 31 - 1;

export function createTimers(run: () => void) {
  const timers = new Set<NodeJS.Timeout>();
  return {
    after(ms: number): void {
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          run();
        },
        Math.min(maxTimerMs, ms + 1),
      );
      timers.add(timer);
    },
    close(): void {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
