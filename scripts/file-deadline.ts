// Loaded before a test file: ends its process when it takes too long, or when its tests are over and it does not end. Node waits
// without end for what a test left behind, such as a stream or a timer; here the file fails, and says what is left.

import { readFileSync } from 'node:fs';
import { after } from 'node:test';

const fileMs = Number(new URL(import.meta.url).searchParams.get('secs')) * 1000;
/** What was closed at the end of the tests may still be on its way. */
const endMs = 60_000;
/** For what the file started, to be removed. */
const graceMs = 20_000;

function endWith(what: string): void {
  const left = Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind));
  const list = left.map(([kind, all]) => `${all?.length} ${kind}`).join(', ');
  console.error(`${process.argv[1]} did not end ${what}; left: ${list}`);
  process.exitCode = 1;
  // Where nothing tidies up, this ends at once.
  if (process.listenerCount('SIGTERM') === 0) endChildren();
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), graceMs).unref();
}

/** They have the pipes of this process, on which the runner would wait. */
function endChildren(): void {
  try {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
    for (const pid of children.split(' ').filter(Boolean)) process.kill(Number(pid), 'SIGKILL');
  } catch {
    // They have ended meanwhile, or the kernel does not list them.
  }
}

setTimeout(endWith, fileMs, `in ${fileMs / 1000} s`).unref();
after(() => void setTimeout(endWith, endMs, `within ${endMs / 1000} s of its last test`).unref());
