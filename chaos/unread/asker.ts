// Another user, who asks for plain answers and says how long each took. A thread of its own: what opening hundreds of
// sockets costs the one who opens them is no part of it.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { createClient } from '@pilothouse/sdk';

type Data = { baseUrl: string; token: string };

const everyMs = 10;

/** Asks from `begin` to `end`, which gives the milliseconds of each answer in their order. */
export function startAsker(data: Data) {
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  return {
    begin: () => worker.postMessage('begin'),
    async end(): Promise<number[]> {
      const answered = once(worker, 'message');
      worker.postMessage('end');
      const [times] = await answered;
      return times;
    },
    close: async () => void (await worker.terminate()),
  };
}

function answer(port: NonNullable<typeof parentPort>, { baseUrl, token }: Data): void {
  const client = createClient({ baseUrl, token: () => token });
  let isAsking = false;
  let asking: Promise<number[]> = Promise.resolve([]);
  const ask = async () => {
    const took: number[] = [];
    while (isAsking) {
      const begun = performance.now();
      await client.listSessions({ limit: 5 });
      took.push(performance.now() - begun);
      await sleep(everyMs);
    }
    return took;
  };
  port.on('message', async (word: 'begin' | 'end') => {
    isAsking = word === 'begin';
    if (isAsking) asking = ask();
    else port.postMessage(await asking);
  });
}

if (parentPort) answer(parentPort, workerData as Data);
