import type { Client } from '@pilothouse/sdk';
import type { Attack } from './attack.ts';
import { cameTrue, endOf, startSite, withCrowd } from './crowd.ts';

const sizes = {
  small: { capacity: 2, tasks: 8, others: 3, waitSecs: 300 },
  full: { capacity: 4, tasks: 20, others: 5, waitSecs: 90 },
};
/** A machine that is busy with other tests parks and opens no faster than this. */
const leastTurnMs = 1500;

/** Has as many tasks as a user may have wait in browsers, one in each, before anybody else comes. */
export const oneUserKeepsAll: Attack = {
  name: 'one-user-keeps-all',
  what: 'a user has more tasks wait in browsers than there are browsers, and others want one each',
  run: async ({ stackName, isSmall }) => {
    const { capacity, tasks, others, waitSecs } = isSmall ? sizes.small : sizes.full;
    const site = await startSite((request, response) => {
      response.setHeader('content-type', 'text/html').end(`<title>Page</title><h1>At ${request.url}</h1>`);
    });
    const settings = { HOST_CAPACITY: String(capacity), HOST_WARM: '0' };
    try {
      return await withCrowd(stackName, { sites: [site.url], settings }, async ({ register }) => {
        const [greedy, ...crowd] = await Promise.all(
          Array.from({ length: others + 1 }, (_, i) => register(i === 0 ? 'greedy' : `user-${i}`)),
        );
        if (!greedy) throw new Error('nobody was registered');
        const turnMs = Math.max(leastTurnMs, await measureTurn(greedy, site.url, capacity));
        const kept = await keepAll(greedy, { siteUrl: site.url, capacity, tasks, waitSecs });
        const limitMs = 2 * others * turnMs;
        const begun = await Promise.all(crowd.map((client) => begin(client, site.url, limitMs)));
        // They come at once, so whose turn is first is not known before: the first to begin has the first turn.
        const inOrder = begun.map(({ ms }) => ms ?? Number.POSITIVE_INFINITY).toSorted((one, other) => one - other);
        const allowed = inOrder.map((_, i) => 2 * (i + 1) * turnMs);
        const late = inOrder.flatMap((ms, i) =>
          ms > (allowed[i] ?? 0) ? [`the user of turn ${i + 1} ${waited(ms, limitMs)}`] : [],
        );
        return {
          tried: kept.length,
          reached: late.map((who) => `while one user had ${tasks} tasks that wait, ${who}`),
          broken: isSmall ? await cancelAll(greedy, kept) : await endAll(greedy, kept, waitSecs),
          figures: {
            capacity,
            tasks,
            turn_ms: Math.round(turnMs),
            begun_after_ms: inOrder.map((ms) => (Number.isFinite(ms) ? Math.round(ms) : null)),
            allowed_ms: allowed.map(Math.round),
          },
        };
      });
    } finally {
      await site.close();
    }
  },
};

const waited = (ms: number, limitMs: number) =>
  ms > limitMs
    ? `had not begun after ${(limitMs / 1000).toFixed(1)} s`
    : `began after ${(ms / 1000).toFixed(1)} s, more than twice its turn`;

/** Sends a task with one step, and answers how long it took until the step began; null where it did not in time. */
async function begin(client: Client, url: string, withinMs: number): Promise<{ id: string; ms: number | null }> {
  const from = performance.now();
  const { task_id: id } = await client.sendChat({ prompt: `open ${url}/one` });
  const hasBegun = async () => (await client.getTaskStatus({ id })).status.current_step > 0;
  const isIn = await cameTrue(hasBegun, withinMs);
  return { id, ms: isIn ? performance.now() - from : null };
}

/** How long it takes to close a browser that rests and to open another, where nobody else wants one. */
async function measureTurn(client: Client, url: string, capacity: number): Promise<number> {
  const sessions: string[] = [];
  let longest = 0;
  for (let n = 0; n < capacity + 2; n += 1) {
    const { id, ms } = await begin(client, url, 30_000);
    const { status, session_id } = await endOf(client, id, 30_000);
    if (ms === null || status !== 'success') throw new Error(`a task alone did not go through: ${status}`);
    if (n >= capacity) longest = Math.max(longest, ms);
    sessions.push(session_id);
  }
  for (const id of sessions) await client.deleteSession({ id });
  return longest;
}

type Crowding = { siteUrl: string; capacity: number; tasks: number; waitSecs: number };

/** Until every browser is with one of them. */
async function keepAll(client: Client, { siteUrl, capacity, tasks, waitSecs }: Crowding): Promise<string[]> {
  const prompt = (n: number) => `open ${siteUrl}/kept-${n}\nwait ${waitSecs} s\nextract text css "h1" as heading`;
  const sent = await Promise.all(Array.from({ length: tasks }, (_, n) => client.sendChat({ prompt: prompt(n) })));
  const ids = sent.map(({ task_id }) => task_id);
  const steps = () => Promise.all(ids.map(async (id) => (await client.getTaskStatus({ id })).status.current_step));
  const isFull = async () => (await steps()).filter((step) => step === 2).length >= capacity;
  if (!(await cameTrue(isFull, 60_000))) throw new Error('the tasks of one user did not begin');
  return ids;
}

async function cancelAll(client: Client, ids: string[]): Promise<string[]> {
  await Promise.all(ids.map((id) => client.cancelTask({ id })));
  const ends = await Promise.all(ids.map((id) => endOf(client, id, 10_000)));
  return ends.flatMap(({ status }) =>
    status === 'cancelled' ? [] : [`a task that waits was not cancelled: ${status}`],
  );
}

/** Those who wait lose nothing but the browser meanwhile: each goes on at the page where it was. */
async function endAll(client: Client, ids: string[], waitSecs: number): Promise<string[]> {
  const ends = await Promise.all(ids.map((id) => endOf(client, id, (waitSecs + 180) * 1000)));
  return ends.flatMap(({ status, last_error, result }, n) => {
    const values = JSON.stringify(result ?? null);
    if (status !== 'success') return [`task ${n} of the one user ended as ${status}: ${last_error}`];
    return values.includes(`At /kept-${n}"`) ? [] : [`task ${n} of the one user went on elsewhere: ${values}`];
  });
}
