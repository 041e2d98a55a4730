// Writes down what one program does, in the order in which its host reports it, and ends its task when it has left. A report is
// written once or, where the database does not take it, counted: it must never be invented.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ProgramReport } from '@pilothouse/bus';
import type { HostClient } from '@pilothouse/fleet';
import type { Log } from '@pilothouse/process';
import { newId, type ProgramLine, type Store } from '@pilothouse/store';
import { createActPictures } from './act-pictures.ts';
import { lineOf, namelessStep } from './act-steps.ts';

/** Lines that wait for the database. Those after them are counted. */
const maxWaiting = 1000;
const linesAtOnce = 100;
const retryMs = 500;
/** After the program has left, its last lines may take so long. An agent ends the task of a server that gave up. */
const endMs = 5000;

export type ProgramLedger = {
  take(report: ProgramReport, hostId: string): void;
  /** The program has left: resolves when its task has ended, or could not be ended. */
  end(): Promise<void>;
};

type Options = {
  store: Store;
  hosts: Pick<HostClient, 'look'>;
  log: Log;
  program: { id: string; sessionId: string; userId: string };
  /** A user has cancelled the task, or the rows say that the program is gone. */
  onDisconnected(): void;
};

type Waiting = { lines: ProgramLine[]; at: number; hostId: string; epoch: number };

export function createProgramLedger({ store, hosts, log, program, onDisconnected }: Options): ProgramLedger {
  const { id, sessionId } = program;
  const waiting: Waiting[] = [];
  const pictures = createActPictures({ store, hosts, log, sessionId });
  let uncounted = 0;
  let writing: Promise<void> | undefined;
  let giveUpAt = Number.POSITIVE_INFINITY;
  let isOver = false;

  async function write({ lines, at, hostId, epoch }: Waiting): Promise<void> {
    const waitedMs = performance.now() - at;
    const now = lines.map((line) => ({ ...line, agoMs: line.agoMs + waitedMs }));
    const recorded = await store.change(sessionId, (tx, append) =>
      store.programTasks.record(tx, append, { ...program, hostId, epoch }, now),
    );
    if (recorded) return pictures.after(recorded, hostId);
    isOver = true;
    onDisconnected();
  }

  async function drain(): Promise<void> {
    for (let next = waiting[0]; next && !isOver; next = waiting[0]) {
      try {
        await write(next);
        waiting.shift();
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
        log.warn({ err: error, session_id: sessionId }, 'what a program did could not be written down yet');
        await sleep(retryMs);
      }
    }
  }

  function start(): void {
    writing ??= drain()
      .catch((error) => log.error({ err: error, session_id: sessionId }, 'what a program did was not written down'))
      .finally(() => {
        writing = undefined;
      });
  }

  return {
    take({ acts, epoch }, hostId) {
      if (isOver) return;
      const held = waiting.reduce((sum, { lines }) => sum + lines.length, 0);
      if (held >= maxWaiting) {
        uncounted += acts.length;
        return;
      }
      const lines = acts.map((act) => lineOf(act, 0));
      if (uncounted > 0) lines.unshift(missedLine(uncounted));
      uncounted = 0;
      for (let from = 0; from < lines.length; from += linesAtOnce)
        waiting.push({ lines: lines.slice(from, from + linesAtOnce), at: performance.now(), hostId, epoch });
      start();
    },
    async end() {
      giveUpAt = performance.now() + endMs;
      await writing;
      await pictures.close();
      await store
        .change(sessionId, (tx, append) => store.programTasks.ended(tx, append, id))
        .catch((error) => {
          log.warn({ err: error, session_id: sessionId }, 'the task of a program was not ended');
        });
    },
  };
}

const missedLine = (count: number): ProgramLine => ({
  id: newId(),
  step: namelessStep(`${count} acts are missing here: the database did not take them`),
  status: 'interrupted',
  error: 'They were done and not written down.',
  agoMs: 0,
  runMs: 0,
  bbox: null,
  point: null,
});
