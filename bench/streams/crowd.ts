import { setTimeout as sleep } from 'node:timers/promises';
import { round } from '../../testkit/percentiles.ts';
import { until } from '../../testkit/until.ts';
import { treeCpuMs } from '../browser/process-tree.ts';
import { hundredths } from '../browser/watched.ts';
import { withInstallation } from '../installation.ts';
import { openDriven } from '../tasks/driven.ts';
import { startClients } from './children.ts';

const moveMs = 100;
const firstFrameMs = 20_000;

type CrowdPlan = { viewers: number; rounds: number; roundMs?: number; restMs?: number };

/** One page that moves without end, driven by a person, with one viewer and with many: in turn, at one host. */
export const measureCrowd = ({ viewers, rounds, roundMs = 15_000, restMs = 2000 }: CrowdPlan) =>
  withInstallation(async ({ site, ...installation }) => {
    const hostPid = installation.stack.status().processes['browser-1']?.pid ?? 0;
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
      const seen = async () => (await clients.tell({ type: 'count' })).events;
      const atFirst = await seen();
      // A busy machine takes its time until the page moves for the first time.
      await until(async () => (await seen()) > atFirst, firstFrameMs);
      const before = await seen();
      const cpu = -treeCpuMs(hostPid);
      await sleep(roundMs);
      const used = cpu + treeCpuMs(hostPid);
      const events = await seen();
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
    await installation.client.deleteSession({ id });
    if (one.frames === 0 || many.frames === 0) throw new Error('nobody saw a frame');
    return {
      viewers,
      frames_per_second_each: { one: round(one.frames), many: round(many.frames) },
      cpu_cores_of_host: { one: hundredths(one.cores), many: hundredths(many.cores) },
      cpu_ratio: hundredths(many.cores / one.cores),
    };
  });
