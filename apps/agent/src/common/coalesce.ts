/** Does the same thing whenever asked, one at a time; asked for while it is under way, it is done once more after. */
export function createOneAtATime(work: () => Promise<void>, onFailed: (error: unknown) => void) {
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
    /** What is under way is still finished. */
    async close(): Promise<void> {
      isClosed = true;
      await underWay;
    },
  };
}
