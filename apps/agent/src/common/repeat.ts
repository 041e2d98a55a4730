// Runs the same work now and then again after each pause, never twice at a time. A failed run does not stop the next.

export function startRepeating(work: () => Promise<void>, everyMs: number, onFailed: (error: unknown) => void) {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();
  const begin = () => {
    round = work()
      .catch(onFailed)
      .finally(() => {
        if (!isClosed) timer = setTimeout(begin, everyMs);
      });
  };
  begin();

  return {
    /** Waits for the run under way. */
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await round;
    },
  };
}
