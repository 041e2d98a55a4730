import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Stack } from '../../testkit/stack/stack.ts';
import type { Attack } from './attack.ts';
import { cameTrue, endOf, startSite, withCrowd } from './crowd.ts';

/** Both the first tries and one line that counts the others: what is more would fill the log while the page is open. */
const mostRowsAMinute = 31;

/** A page that asks for ever new addresses which it may not reach, as fast as it can. */
const page = `<title>Busy</title><script>
  let n = 0;
  setInterval(() => { for (let i = 0; i < 10; i++) new Image().src = 'http://10.' + (n++ % 200) + '.' + (n % 250) + '.1:' + (1000 + n) + '/'; }, 50);
</script>`;
const onePage = `<title>Calm</title><img src="http://10.1.2.3:81/">`;

export const logWithoutEnd: Attack = {
  name: 'log-without-end',
  what: 'a page fills the log of its session by asking for addresses that are refused',
  run: async ({ stackName, isSmall }) => {
    const site = await startSite((request, response) => {
      response.setHeader('content-type', 'text/html').end(request.url === '/calm' ? onePage : page);
    });
    const secs = isSmall ? 6 : 150;
    try {
      return await withCrowd(stackName, { sites: [site.url] }, async ({ stack, register }) => {
        const client = await register('visitor');
        const rowsOf = async (path: string, forSecs: number) => {
          const { task_id, session_id } = await client.sendChat({ prompt: `open ${site.url}${path}` });
          const { status } = await endOf(client, task_id, 30_000);
          if (status !== 'success') throw new Error(`the page was not opened: ${status}`);
          await cameTrue(async () => (await logOf(stack, session_id)).length > 0, 5000);
          await sleep(forSecs * 1000);
          const rows = await logOf(stack, session_id);
          await client.deleteSession({ id: session_id });
          return rows;
        };
        const rows = await rowsOf('/', secs);
        const calm = await rowsOf('/calm', 1);
        const most = mostRowsAMinute * (Math.floor(secs / 60) + 1);
        return {
          tried: rows.length,
          reached: rows.length > most ? [`a page wrote ${rows.length} rows in ${secs} s into the log`] : [],
          broken: calm.some((row) => row.includes('10.1.2.3:81')) ? [] : ['that one address was refused is not said'],
          figures: { secs, rows: rows.length, a_second: Number((rows.length / secs).toFixed(1)), last: rows.at(-1) },
        };
      });
    } finally {
      await site.close();
    }
  },
};

/** What hosts reported of the session, as it is kept. */
async function logOf({ services }: Stack, sessionId: string): Promise<string[]> {
  const database = new pg.Client({ connectionString: services.databaseUrl() });
  await database.connect();
  try {
    const { rows } = await database.query<{ message: string }>(
      `select data->'log'->>'message' as message from events
       where session_id = $1 and kind = 'log' and task_id is null order by seq`,
      [sessionId],
    );
    return rows.map(({ message }) => message);
  } finally {
    await database.end();
  }
}
