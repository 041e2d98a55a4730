const tickMs = 250;
const stoodStillMs = 1500;

/**
 * Whether this process has been running all along. One that was stopped and goes on reads what waited for it before its
 * timers: whatever it is told then is old, and whoever said it has long asked somebody else.
 */
export function watchAwake() {
  let seenAt = performance.now();
  const timer = setInterval(() => {
    seenAt = performance.now();
  }, tickMs);
  timer.unref();
  return { isAwake: () => performance.now() - seenAt < stoodStillMs, close: () => clearInterval(timer) };
}
