import { setTimeout as sleep } from 'node:timers/promises';
import { openInstallation } from '../../testkit/installation.ts';
import { round } from '../../testkit/percentiles.ts';
import { treeCpuMs } from '../browser/process-tree.ts';
import { openBenchSite } from '../browser/site.ts';
import { hundredths } from '../browser/watched.ts';
import { openDriven } from '../tasks/driven.ts';
import { startClients } from './children.ts';

const moveMs = 100;
const restMs = 2000;

/** One page that moves without end, driven by a person, with one viewer and with many: in turn, at one host. */
export async function measureCrowd({
  viewers,
  rounds,
  roundMs = 15_000,
}: {
  viewers: number;
  rounds: number;
  roundMs?: number;
}) {
  const site = await openBenchSite();
  const installation = await openInstallation('bench', { sites: [site.url] });
  const hostPid = installation.stack.status().processes['browser-1']?.pid ?? 0;
  try {
    // Who watches is who drives: what they see is for nobody else.
    const { id, give } = await openDriven(installation.client);
    await give({ action: 'navigate', url: `${site.url}/endless` });
    let moves = 0;
    const drive = () => {
      moves += 1;
      give({ action: 'move', x: 100 + (moves % 50) * 10, y: 300 }).catch(() => undefined);
    };
    const measure = async (count: number) => {
      const clients = await startClients();
      const paths = Array.from({ length: count }, () => `/api/sessions/${id}/live`);
      const port = Number(new URL(installation.baseUrl).port);
      await clients.tell({ type: 'open', port, paths });
      const driving = setInterval(drive, moveMs);
      await sleep(restMs);
      const before = (await clients.tell({ type: 'count' })).events;
      const cpu = -treeCpuMs(hostPid);
      await sleep(roundMs);
      const used = cpu + treeCpuMs(hostPid);
      const { events } = await clients.tell({ type: 'count' });
      clearInterval(driving);
      await clients.close();
      await sleep(restMs);
      return { cores: used / roundMs, frames: ((events - before) * 1000) / roundMs / count };
    };
    const one = { cores: 0, frames: 0 };
    const many = { cores: 0, frames: 0 };
    for (let round = 0; round < rounds; round += 1) {
      for (const [sum, count] of [
        [one, 1],
        [many, viewers],
      ] as const) {
        const { cores, frames } = await measure(count);
        sum.cores += cores / rounds;
        sum.frames += frames / rounds;
      }
    }
    if (one.frames === 0 || many.frames === 0) throw new Error('nobody saw a frame');
    return {
      viewers,
      frames_per_second_each: { one: round(one.frames), many: round(many.frames) },
      cpu_cores_of_host: { one: hundredths(one.cores), many: hundredths(many.cores) },
      cpu_ratio: hundredths(many.cores / one.cores),
    };
  } finally {
    await installation.close();
    await site.close();
  }
}
