import { setTimeout as sleep } from 'node:timers/promises';
import { frame } from '@pilothouse/bus';
import { round } from '../../testkit/percentiles.ts';
import { type OurSession, startBare, startOurs } from './children.ts';
import { treeCpuMs, treePssMib } from './process-tree.ts';
import { openBenchSite } from './site.ts';

type WatchedPlan = { sessions: number; minutes: number; settleMs?: number; sampleMs?: number };

/**
 * Sessions whose pages change twice a second, each with a viewer: what our host and its browsers take, beside as
 * many bare browsers whose frames are only received. Both at the same time, so that both have the same weather.
 */
export async function measureWatched({ sessions, minutes, settleMs = 5000, sampleMs = 5000 }: WatchedPlan) {
  const site = await openBenchSite();
  const ours = await startOurs(sessions);
  const bare = await startBare();
  try {
    const frames = new Map<string, number>();
    const sumOf = () => frames.values().reduce((sum, one) => sum + one, 0);
    const opened: OurSession[] = [];
    for (let index = 0; index < sessions; index++) opened.push(await ours.openSession());
    await bare.tell({ type: 'open', count: sessions });
    await Promise.all(
      opened.map(async (session) => {
        const { sessionId } = session;
        const listening = ours.server.subscribe(frame, { session_id: sessionId }, () => {
          frames.set(sessionId, (frames.get(sessionId) ?? 0) + 1);
        });
        await listening.ready({ timeoutMs: 2000 });
        await session.act({ action: 'navigate', url: `${site.url}/ticking` });
      }),
    );
    await bare.tell({ type: 'go', url: `${site.url}/ticking` });
    await bare.tell({ type: 'cast' });
    const renew = () => {
      for (const session of opened) void session.ask({ type: 'watch', for_ms: 4000 }, 1000);
    };
    renew();
    const renewing = setInterval(renew, 1000);
    await sleep(settleMs);

    const sides = { ours: ours.pid, bare: bare.pid };
    const begun = performance.now();
    const cpu = { ours: -treeCpuMs(sides.ours), bare: -treeCpuMs(sides.bare) };
    const pss: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    const framesBefore = { ours: sumOf(), bare: await bare.tell({ type: 'go', url: `${site.url}/ticking#` }) };
    while (performance.now() - begun < minutes * 60_000) {
      await sleep(sampleMs);
      pss.ours.push(treePssMib(sides.ours));
      pss.bare.push(treePssMib(sides.bare));
    }
    cpu.ours += treeCpuMs(sides.ours);
    cpu.bare += treeCpuMs(sides.bare);
    const elapsedMs = performance.now() - begun;
    const framesAfter = { ours: sumOf(), bare: await bare.tell({ type: 'rest' }) };
    clearInterval(renewing);
    const perSecond = (side: 'ours' | 'bare') =>
      round(((framesAfter[side] - framesBefore[side]) / sessions / elapsedMs) * 1000);
    const mib = { ours: mean(pss.ours), bare: mean(pss.bare) };
    return {
      sessions,
      minutes,
      frames_per_session_and_second: { ours: perSecond('ours'), bare: perSecond('bare') },
      frames_of_each: [...frames.values()],
      cpu_cores: { ours: hundredths(cpu.ours / elapsedMs), bare: hundredths(cpu.bare / elapsedMs) },
      cpu_ratio: hundredths(cpu.ours / cpu.bare),
      pss_mib: { ours: round(mib.ours), bare: round(mib.bare) },
      pss_ratio: hundredths(mib.ours / mib.bare),
    };
  } finally {
    await ours.close();
    await bare.close();
    await site.close();
  }
}

const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
export const hundredths = (value: number) => Math.round(value * 100) / 100;
