// Loaded before a test file: ends its process when it takes too long. Node waits without end for a file whose tests are over and
// that left a stream or a timer behind; here it fails, and says what is left.

const fileMs = Number(new URL(import.meta.url).searchParams.get('secs')) * 1000;
/** For what the file started, to be removed. */
const graceMs = 20_000;

setTimeout(() => {
  const left = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind));
  console.error(
    `${process.argv[1]} did not end in ${fileMs / 1000} s; left: ${left.map(([kind, all]) => `${all?.length} ${kind}`).join(', ')}`,
  );
  process.exitCode = 1;
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), graceMs).unref();
}, fileMs).unref();
