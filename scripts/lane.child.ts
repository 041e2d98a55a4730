// A process of its own: runs one test file after the other with node's runner, as its parent names them, and says what each printed
// and counted.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { spec } from 'node:test/reporters';
import type { FileCounts, LaneOrder, LaneReport } from './lane.ts';

const testMs = 300_000;
const none: FileCounts = { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 };
/** What node says of a whole run; the parent says it of all files together. */
const isTotal = (message: string) =>
  /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/.test(message);

// The file that runs gets the signal too, and removes what it started; no other one begins.
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => ending.abort());
// Nobody is left to say what to run.
process.on('disconnect', () => ending.abort());

/** What the processes have computed that this one started and saw end, and theirs. One whose parent was killed is not in it. */
function endedCpuSecs(): number {
  // After the name in brackets, which may have spaces, from the third field on; ticks are hundredths of a second.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function runFile({ file, fileSecs }: LaneOrder): Promise<LaneReport> {
  const begun = performance.now();
  const cpuBegun = endedCpuSecs();
  const events = run({
    files: [file],
    timeout: testMs,
    execArgv: [`--import=${new URL(`./file-deadline.ts?secs=${fileSecs}`, import.meta.url)}`],
    signal: ending.signal,
  });
  let counts = none;
  let hasPassed = true;
  events.on('test:fail', () => (hasPassed = false));
  async function* withoutTotals(all: AsyncIterable<TestEvent>) {
    for await (const event of all) {
      if (event.type === 'test:summary' && event.data.file === undefined) {
        const { tests, passed, cancelled, skipped, todo } = event.data.counts;
        counts = { ...event.data.counts, failed: tests - passed - cancelled - skipped - todo };
        hasPassed &&= event.data.success;
      }
      if (!(event.type === 'test:diagnostic' && event.data.nesting === 0 && isTotal(event.data.message))) yield event;
    }
  }
  const printed = await text(Readable.from(withoutTotals(events)).compose(spec));
  return { file, ms: performance.now() - begun, cpuSecs: endedCpuSecs() - cpuBegun, hasPassed, counts, printed };
}

process.on('message', async (order: LaneOrder) => {
  const report = await runFile(order);
  // The parent may have ended meanwhile.
  if (process.connected) process.send?.(report);
  if (ending.signal.aborted) process.exit(1);
});
