/** Whoever gave up does not wait for what others may still want. */
export async function unlessAborted<T>(waiting: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal || !(waiting instanceof Promise)) return waiting;
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    waiting.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
