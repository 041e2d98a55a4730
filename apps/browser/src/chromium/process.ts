// The processes of one Chromium, led by the one that the launcher becomes. Nothing else starts or signals them.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { PipeStreams } from '../cdp/pipe.ts';

const againMs = 500;
/** Of what it says on its way down. */
const maxWords = 16_384;

export type BrowserProcess = {
  /** Of the first process, which leads the group of all others. */
  pid: number;
  /** What drives it. */
  pipe: PipeStreams;
  /** The end of what it wrote as errors: about itself, and also what pages log. Never for users. */
  lastWords(): string;
  /** Stops all its processes, at once. */
  kill(): void;
  /** Stops them until none is left that we started. */
  end(): Promise<void>;
};

/** Whatever ends this process, its browsers end with it. */
const running = new Set<number>();
process.once('exit', () => {
  for (const pid of running) killGroup(pid);
});

type Options = { launcher: string; args: string[] };

export async function startProcess({ launcher, args }: Options): Promise<BrowserProcess> {
  // Read by the shell, and not executed itself: a child that was forked while the script was written has it open for a moment, and
  // the kernel executes no file that is open for writing.
  const child = spawn('/bin/sh', [launcher, ...args], {
    // The leader of a group of its own, which is signalled as one.
    detached: true,
    // Ours holds passwords.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  });
  if (child.pid === undefined) {
    const [error] = await once(child, 'error');
    throw new Error('the launcher of Chromium does not start', { cause: error });
  }
  const { pid } = child;
  // Further errors are about signals, which `kill` sends by itself.
  child.on('error', () => {});
  const words = keepLast(child.stderr as Readable);
  const closed = Promise.withResolvers<void>();
  const kill = () => killGroup(pid);
  running.add(pid);
  child.once('close', () => {
    running.delete(pid);
    closed.resolve();
  });
  return {
    pid,
    pipe: pipeOf(child),
    lastWords: words,
    kill,
    async end() {
      kill();
      const again = setInterval(kill, againMs);
      await closed.promise.finally(() => clearInterval(again));
    },
  };
}

/** The two descriptors that Chromium reads commands from and writes answers to. */
function pipeOf(child: ChildProcess): PipeStreams {
  return { toChromium: child.stdio[3] as Writable, fromChromium: child.stdio[4] as Readable };
}

function keepLast(stream: Readable): () => string {
  let kept = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    kept = (kept + text).slice(-maxWords);
  });
  stream.on('error', () => {});
  return () => kept;
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
