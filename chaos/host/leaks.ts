import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { drive } from '../../apps/browser/testing/host.ts';
import { pidsOfUser } from '../../apps/browser/testing/processes.ts';
import { hostId, startShotHost } from '../../testkit/host.ts';
import { createRandom } from '../../testkit/random.ts';
import { testSeed } from '../../testkit/seed.ts';
import { until } from '../../testkit/until.ts';

const firstUid = 42_000;
const capacity = 3;
const warm = 1;

export type LeakResult = {
  rounds: number;
  ends: Record<string, number>;
  /** Browsers and folders beyond those that wait ahead, when nothing is open. */
  browsers_left: number;
  folders_left: number;
  processes_left: number;
  /** After the host was killed. */
  outlived_ms: number;
};

/** Opens and ends sessions in every way there is, again and again, several at a time. */
export async function hurtSessions(rounds: number, seed = testSeed): Promise<LeakResult> {
  const random = createRandom(seed);
  const host = await startShotHost({ leaseMs: 20_000, capacity, warm, firstUid });
  const ends: Record<string, number> = {};
  const uids = Array.from({ length: capacity + 2 * warm }, (_, i) => firstUid + i);
  const processes = async () => (await Promise.all(uids.map(pidsOfUser))).flat().length;
  const ways = {
    close: async (session: ReturnType<typeof drive>) => void (await session.closeSession()),
    'close while it works': async (session: ReturnType<typeof drive>) => {
      const working = session.tryTo({ action: 'wait', for: { secs: 2 } }).catch(() => undefined);
      await sleep(random.below(30));
      await session.closeSession();
      await working;
    },
    'close while it opens': async (session: ReturnType<typeof drive>) => {
      const opening = session.open({ epoch: 2 });
      await session.closeSession(2);
      await opening;
      await session.closeSession(3);
    },
    kill: async (session: ReturnType<typeof drive>) => {
      // Any of them, also one of another session: each has to cope.
      for (const pid of (await host.browsers()).slice(0, 1)) tryKill(pid);
      await sleep(random.below(30));
      await session.closeSession(4);
    },
  };
  try {
    await host.start();
    const names = Object.keys(ways) as (keyof typeof ways)[];
    let next = 0;
    const work = async () => {
      while (next < rounds) {
        const way = names[next % names.length] ?? 'close';
        next += 1;
        const session = drive(host.agent, hostId);
        const opening = session.open();
        if (way !== 'close while it opens') await opening;
        await ways[way](session);
        await opening;
        await session.closeSession(9);
        ends[way] = (ends[way] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: capacity }, work));
    const isAtRest = async () => (await host.isWarm()) && (await host.folders()).length <= warm;
    await until(isAtRest, 20_000).catch(() => undefined);
    const browsers_left = (await rootsOf(await host.browsers())).length - warm;
    const folders_left = (await host.folders()).length - warm;
    host.kill('SIGKILL');
    const killed = performance.now();
    await until(async () => (await host.browsers()).length === 0 && (await processes()) === 0, 10_000).catch(
      () => undefined,
    );
    const outlived_ms = Math.round(performance.now() - killed);
    return { rounds, ends, browsers_left, folders_left, processes_left: await processes(), outlived_ms };
  } finally {
    await host.close();
  }
}

/** Those whose profile is named by nobody above them: one for each browser. */
async function rootsOf(pids: number[]): Promise<number[]> {
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((_, i) => !lines[i]?.includes('--type=') && lines[i] !== '');
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}
