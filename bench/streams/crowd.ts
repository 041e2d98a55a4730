import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, sessionCommand } from '@pilothouse/bus';
import pg from 'pg';
import { openHouse } from '../../e2e/house.ts';
import { round } from '../figures.ts';
import { treeCpuMs } from '../process-tree.ts';
import { openBenchSite } from '../site.ts';
import { hundredths } from '../watched.ts';
import { startClients } from './children.ts';

const roundMs = 15_000;
const moveMs = 100;
const restMs = 2000;

/** One page that moves without end, driven by somebody, watched by one and by many: in turn, at one host. */
export async function measureCrowd({ viewers, rounds }: { viewers: number; rounds: number }) {
  const site = await openBenchSite();
  const house = await openHouse('bench', { sites: [site.url] });
  const { stack, client } = house;
  const { url, passwords } = stack.services.bus();
  const bus = await connectBus({ servers: url, user: 'server', password: passwords.server, name: 'bench' });
  const hostPid = stack.status().processes['browser-1']?.pid ?? 0;
  try {
    const steps = [{ action: 'navigate', url: `${site.url}/endless` } as const];
    const { session_id, task_id } = await client.sendChat({ prompt: 'look', steps });
    for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(30_000) }));
    const epoch = await epochOf(stack.services.databaseUrl(), session_id);
    const to = { host_id: 'browser-1', session_id };
    let seq = 0;
    /** What the wheel does: says that somebody drives, and moves the pointer. */
    const drive = () => {
      seq += 1;
      const move = { action: 'move', x: 100 + (seq % 50) * 10, y: 300 } as const;
      void bus.request(sessionCommand, to, { type: 'watch', for_ms: 2000, is_driven: true }, { timeoutMs: 2000 });
      void bus.request(
        sessionCommand,
        to,
        { type: 'input', epoch, inputs: [{ seq, input: move }] },
        { timeoutMs: 2000 },
      );
    };
    const measure = async (count: number) => {
      const clients = await startClients();
      const paths = Array.from({ length: count }, () => `/api/sessions/${session_id}/live`);
      const port = Number(new URL(house.baseUrl).port);
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
    return {
      viewers,
      frames_per_second_each: { one: round(one.frames), many: round(many.frames) },
      cpu_cores_of_host: { one: hundredths(one.cores), many: hundredths(many.cores) },
      cpu_ratio: hundredths(many.cores / one.cores),
    };
  } finally {
    await bus.close();
    await house.close();
    await site.close();
  }
}

async function epochOf(connectionString: string, sessionId: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows } = await client.query<{ epoch: string }>('select epoch from browsers where session_id = $1', [
    sessionId,
  ]);
  await client.end();
  return Number(rows[0]?.epoch);
}
