/** Looks at once and then every so often, never twice at a time. A look that fails is told, and the next one comes. */
export function startRounds(look: () => Promise<void>, everyMs: number, onFailed: (error: unknown) => void) {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round = Promise.resolve();
  const begin = () => {
    round = look()
      .catch(onFailed)
      .finally(() => {
        if (!isClosed) timer = setTimeout(begin, everyMs);
      });
  };
  begin();

  return {
    /** What is being looked at is still finished. */
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await round;
    },
  };
}
