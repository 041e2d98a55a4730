// What the live view takes of a core at ten frames a second, beside a page that only draws the same pictures; and whether
// anything in the console grows meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@pilothouse/sdk';
import { round } from '../../testkit/percentiles.ts';
import { hundredths } from '../browser/watched.ts';
import type { BareSide, ConsoleSide } from './sides.ts';
import type { Alive, UsedMs, Viewer } from './viewer.ts';

/** Both at the same time, so that both have the same weather. */
export async function measureLiveView(
  client: Client,
  ours: ConsoleSide,
  bare: BareSide,
  { secs, settleMs }: { secs: number; settleMs: number },
) {
  const ended = new AbortController();
  const forwarded = forwardFrames(client, ours.sessionId, bare, ended.signal);
  try {
    await sleep(settleMs);
    const [inConsole, onCanvas] = await Promise.all([measureCpu(ours.viewer, secs), measureCpu(bare.viewer, secs)]);
    const cpu_ratio = hundredths(inConsole.cpu_percent / onCanvas.cpu_percent);
    return { secs, console: inConsole, bare_canvas: onCanvas, cpu_ratio };
  } finally {
    ended.abort();
    await forwarded;
  }
}

/** The pictures that the console gets, as bytes to the plain page. */
async function forwardFrames(client: Client, id: string, { canvas }: BareSide, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of client.followSession({ id }, { signal }))
      if (event.type === 'frame') canvas.push(Buffer.from(event.frame.screenshot_base64, 'base64'));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Percent of a core, of the whole browser that shows the page and of its kinds of processes. */
async function measureCpu({ used, screen }: Viewer, secs: number) {
  const begun = performance.now();
  const [before, paintedBefore] = await Promise.all([used(), screen.painted()]);
  await sleep(secs * 1000);
  const [after, paintedAfter] = await Promise.all([used(), screen.painted()]);
  const elapsedMs = performance.now() - begun;
  const percent = (kind: keyof UsedMs) => round(((after[kind] - before[kind]) / elapsedMs) * 100);
  const parts = {
    renderer: percent('renderer'),
    gpu: percent('gpu'),
    browser: percent('browser'),
    other: percent('other'),
  };
  const all = parts.renderer + parts.gpu + parts.browser + parts.other;
  const framesPerSecond = ((paintedAfter - paintedBefore) / elapsedMs) * 1000;
  return {
    frames_per_second: round(framesPerSecond),
    cpu_percent: round(all),
    of_it: parts,
    cpu_ms_per_frame: round((all * 10) / framesPerSecond),
  };
}

/** One sample a minute, at least three, each after a forced collection of garbage. */
export async function soak({ viewer, point }: ConsoleSide, minutes: number) {
  const everyMs = Math.min(60_000, (minutes * 60_000) / 3);
  const samples: Alive[] = [await viewer.alive()];
  for (let passedMs = 0; passedMs < minutes * 60_000 - 1; passedMs += everyMs) {
    await sleep(everyMs);
    // A hand that rests for minutes loses the wheel.
    await viewer.page.mouse.move(point.x + samples.length, point.y);
    samples.push(await viewer.alive());
  }
  const heaps = samples.map(({ heapMib }) => heapMib);
  return {
    minutes,
    heap_mib: heaps,
    heap_spread_mib: hundredths(Math.max(...heaps) - Math.min(...heaps)),
    heap_mib_per_minute: hundredths((slope(heaps) * 60_000) / everyMs),
    first: samples[0],
    last: samples.at(-1),
  };
}

/** Of the straight line that lies closest to the values, for each step. */
function slope(values: number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  const rise = values.reduce((sum, one, index) => sum + (index - middle) * (one - mean), 0);
  return rise / values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
}
