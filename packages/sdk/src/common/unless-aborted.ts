// Waits for a promise until a signal is aborted.

/** The promise itself goes on: other callers may wait for it too. */
export async function unlessAborted<T>(waiting: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal || !(waiting instanceof Promise)) return waiting;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
