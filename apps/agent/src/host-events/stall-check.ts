// Tells whether this process stood still. A process that was stopped and goes on reads queued messages before its timers
// run: those messages are old, and their senders have long asked another agent.

const tickMs = 250;
const stalledMs = 1500;

export function watchForStalls() {
  let seenAt = performance.now();
  const timer = setInterval(() => {
    seenAt = performance.now();
  }, tickMs);
  timer.unref();
  return { isRunning: () => performance.now() - seenAt < stalledMs, close: () => clearInterval(timer) };
}
