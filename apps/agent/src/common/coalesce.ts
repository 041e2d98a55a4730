// Runs the same work on request, one run at a time. Requests during a run lead to one more run after it.

export function coalesce(work: () => Promise<void>, onFailed: (error: unknown) => void) {
  let isWanted = false;
  let isClosed = false;
  let underWay: Promise<void> | undefined;

  async function untilDone(): Promise<void> {
    while (isWanted && !isClosed) {
      isWanted = false;
      await work().catch(onFailed);
    }
    underWay = undefined;
  }

  return {
    run(): void {
      isWanted = true;
      underWay ??= untilDone();
    },
    /** Waits for the run under way. */
    async close(): Promise<void> {
      isClosed = true;
      await underWay;
    },
  };
}
