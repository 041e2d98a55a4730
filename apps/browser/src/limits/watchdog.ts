// Samples what the sessions take of the machine, and reports the limits that they hit. It ends nothing by itself: the
// caller ends the browser.

import type { Log } from '@pilothouse/process';
import { errorFields } from '../common/failure.ts';
import type { LimitHit, SessionLimits } from './limits.ts';
import { watchMachineCpu } from './machine-cpu.ts';
import { createProcessTable, type Owner } from './process-table.ts';
import { createSessionMonitor, type SessionMonitor, sampleMs, urgentSampleMs } from './session-monitor.ts';

const diskMs = 5000;

/** `isShown`: whether a viewer or a driver waits for pictures of it. */
type WatchedBrowser = Owner & { folder: string; isShown?: () => boolean };
export type Watch = {
  /** The session has begun something new: for a moment it is sampled more often. */
  lookCloser(): void;
  /** What the session does now is expensive: it yields at once, before it is measured, until it is calm. */
  yieldNow(): void;
  close(): void;
};

export type Watchdog = {
  /** Reports each limit that the browser hits; none after one that ends it. */
  watch(browser: WatchedBrowser, onHit: (hit: LimitHit) => void): Watch;
  close(): void;
};

type WatchedSession = SessionMonitor & { report(hit: LimitHit | undefined): void };

export function createWatchdog({ limits, log }: { limits: SessionLimits; log: Log }): Watchdog {
  const watched = new Set<WatchedSession>();
  const table = createProcessTable<WatchedSession>();
  const isMachineFull = watchMachineCpu();
  let sampledAt = performance.now();

  const sampling = startSampling({
    isUrgent: () => [...watched].some((one) => one.isUrgent()),
    sample() {
      const now = performance.now();
      const sample = { elapsedMs: now - sampledAt, isMachineFull: isMachineFull() };
      sampledAt = now;
      for (const [one, taken] of table.sample()) one.report(one.judge(taken, sample));
    },
    log,
  });
  const measuring = startMeasuringDisks(watched, log);

  return {
    watch(browser, onHit) {
      const forget = () => {
        table.remove(one);
        return watched.delete(one);
      };
      const report = (hit: LimitHit | undefined) => {
        if (!hit || !watched.has(one)) return;
        if (hit.is_ended) {
          // The other sessions wait for nothing of it, and to free what it took is much work for the kernel.
          one.yieldNow();
          forget();
        }
        onHit(hit);
      };
      const one: WatchedSession = { ...createSessionMonitor(browser, limits), report };
      watched.add(one);
      table.add(one, browser);
      const thenSampleSoon = (work: () => void) => () => {
        if (!watched.has(one)) return;
        work();
        sampling.sampleSoon();
      };
      return {
        lookCloser: thenSampleSoon(one.lookCloser),
        yieldNow: thenSampleSoon(one.yieldNow),
        close() {
          // Ending takes processor time too, and a session that yields might get none.
          if (forget()) one.relax();
        },
      };
    },
    close() {
      sampling.close();
      measuring.close();
      watched.clear();
    },
  };
}

type Sampling = { sample: () => void; isUrgent: () => boolean; log: Log };

function startSampling({ sample, isUrgent, log }: Sampling) {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = 0;

  function sampleLater(): void {
    const inMs = isUrgent() ? urgentSampleMs : sampleMs;
    dueAt = performance.now() + inMs;
    timer = setTimeout(() => {
      try {
        sample();
      } catch (error) {
        log.error(errorFields(error), 'the walls could not be watched');
      }
      if (!isClosed) sampleLater();
    }, inMs);
  }
  sampleLater();

  return {
    /** However often it is called, a sample that is due soon is not put off. */
    sampleSoon(): void {
      if (dueAt - performance.now() <= urgentSampleMs) return;
      clearTimeout(timer);
      sampleLater();
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** One session after the other: however many there are, the disk has one reader. */
function startMeasuringDisks(watched: ReadonlySet<WatchedSession>, log: Log) {
  let isClosed = false;

  async function measure(): Promise<void> {
    for (const one of [...watched]) {
      if (isClosed) return;
      try {
        one.report(await one.measureDisk());
      } catch (error) {
        log.error(errorFields(error), 'a disk could not be measured');
      }
    }
    if (!isClosed) timer = setTimeout(() => void measure(), diskMs);
  }
  let timer = setTimeout(() => void measure(), diskMs);

  return {
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
