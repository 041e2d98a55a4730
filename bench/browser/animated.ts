import { setTimeout as sleep } from 'node:timers/promises';
import { frame } from '@pilothouse/bus';
import { startBare, startOurs } from './children.ts';
import { treeCpuMs } from './process-tree.ts';
import { openBenchSite } from './site.ts';
import { hundredths } from './watched.ts';

/**
 * One page that moves without end, watched and not driven, beside a bare screencast that runs as fast as it can. In
 * turn: the bare one takes more than a core, and would starve whatever runs beside it. From the first moment, with the
 * seconds it takes to find out that the page does not rest.
 */
export async function measureAnimated(minutes: number, turns = 2) {
  const turnMs = (minutes * 60_000) / turns;
  const site = await openBenchSite();
  const ours = await startOurs(1);
  const bare = await startBare();
  try {
    const session = await ours.openSession();
    await bare.tell({ type: 'open', count: 1 });
    const used = { ours: 0, bare: 0 };
    const frames = { ours: 0, bare: 0 };
    ours.server.subscribe(frame, { session_id: session.sessionId }, () => {
      frames.ours += 1;
    });
    for (let turn = 0; turn < turns; turn++) {
      await session.act({ action: 'navigate', url: `${site.url}/endless` });
      const renew = () => void session.ask({ type: 'watch', for_ms: 2000 }, 1000);
      used.ours -= treeCpuMs(ours.pid);
      renew();
      const renewing = setInterval(renew, 1000);
      await sleep(turnMs);
      used.ours += treeCpuMs(ours.pid);
      clearInterval(renewing);
      await session.act({ action: 'navigate', url: 'about:blank' });
      await sleep(2500);

      await bare.tell({ type: 'go', url: `${site.url}/endless` });
      used.bare -= treeCpuMs(bare.pid);
      await bare.tell({ type: 'cast' });
      await sleep(turnMs);
      used.bare += treeCpuMs(bare.pid);
      frames.bare = await bare.tell({ type: 'rest' });
      await bare.tell({ type: 'go', url: 'about:blank' });
    }
    const per = (value: number) => hundredths(value / (turnMs * turns));
    return {
      minutes,
      cpu_cores: { ours: per(used.ours), bare: per(used.bare) },
      frames_per_second: { ours: per(frames.ours * 1000), bare: per(frames.bare * 1000) },
      cpu_ratio: hundredths(used.ours / used.bare),
    };
  } finally {
    await ours.close();
    await bare.close();
    await site.close();
  }
}
