// Runs the same work now and then again after each pause, never twice at a time. A failed run does not stop the next.

/** Whether there may be anything to do: a job that knows it asks nothing else while there is not. */
export type IsNeeded = () => Promise<boolean>;
export const always: IsNeeded = async () => true;

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
