// A lane of a run of tests: one process that runs test files one after the other.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { root } from '../testkit/stack/folders.ts';

export type FileCounts = Record<'tests' | 'suites' | 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo', number>;
export type FileSummary = { file: string; ms: number; cpuSecs: number; hasPassed: boolean };
export type LaneOrder = { file: string; fileSecs: number };
export type LaneReport = FileSummary & { counts: FileCounts; printed: string };

type Options = {
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Whether its files run only while the processors would rest. */
  isYielding?: boolean;
};

export type Lane = {
  run(order: LaneOrder): Promise<LaneReport>;
  close(): Promise<void>;
};

/** So much further down than this process, and no more: each process of a stack is a group of its own, and at 8 a file beside two stacks
 * missed its own deadlines. */
const yieldingBy = 4;
const lastPriority = 19;

export function openLane({ env, signal, isYielding = false }: Options): Lane {
  let { child, ended } = start({ env, isYielding });
  const end = () => {
    if (child.pid !== undefined && isRunning(child)) process.kill(-child.pid, signal.reason);
  };
  signal.addEventListener('abort', end);
  return {
    async run(order) {
      // A file can end the process that runs it, as can a machine without memory. The other files run all the same.
      if (!isRunning(child)) ({ child, ended } = start({ env, isYielding }));
      // An order that does not arrive shows as the end of the process.
      child.send(order, () => {});
      const report = await Promise.race([
        once(child, 'message').then(([message]) => message as LaneReport),
        ended.then(() => undefined),
      ]);
      return (
        report ?? {
          file: order.file,
          ms: 0,
          cpuSecs: 0,
          hasPassed: false,
          counts: lost,
          printed: `${order.file}: its lane ended\n`,
        }
      );
    },
    async close() {
      signal.removeEventListener('abort', end);
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

function start({ env, isYielding }: Pick<Options, 'env' | 'isYielding'>) {
  // A group of its own, which gets a signal as a whole: Ctrl-C in a terminal and a signal to this process alone are the same.
  const child = fork(join(root, 'scripts/lane.child.ts'), {
    cwd: root,
    env,
    execArgv: [],
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  if (isYielding) letYield(child);
  return { child, ended: once(child, 'exit') };
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

const lost = { tests: 1, suites: 0, passed: 0, failed: 0, cancelled: 1, skipped: 0, todo: 0 };

/** Linux shares processors between sessions first, and only then between the processes of one. */
function letYield({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  setPriority(pid, Math.min(lastPriority, getPriority() + yieldingBy));
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(yieldingBy));
  } catch {
    // A kernel without groups of sessions: the priority is enough there.
  }
}
