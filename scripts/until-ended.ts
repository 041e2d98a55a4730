// Closes what a command started, once, when it is ended by a signal or its shell goes away.

/** Returns what ends it from within. */
export function untilEnded(close: () => Promise<void>): (exitCode: number) => Promise<void> {
  let isClosing = false;
  const end = async (exitCode: number) => {
    if (isClosing) return;
    isClosing = true;
    console.log('\nStopping …');
    await close();
    process.exit(exitCode);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));
  // A signal to npm ends npm and its shell, and does not come here: then this process has another parent.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && void end(0), 500).unref();
  return end;
}
