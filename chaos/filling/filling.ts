// One user stores as much as they can, as fast as they can: sessions with profiles, files of chats, downloads, pictures, and
// refused requests. What they store stays within their quotas, and another user is answered as before.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@pilothouse/sdk';
import pg from 'pg';
import type { Stack } from '../../testkit/stack/stack.ts';
import { type Crowd, endOf, startSite, withCrowd } from '../attacks/crowd.ts';
import { type OtherUser, startOtherUser } from './other-user.child.ts';

/** In megabytes. */
type Quotas = { files: number; pictures: number; states: number };
export type FillingSize = { secs: number; quietSecs: number; quotas: Quotas };
type Stored = { files: number; pictures: number; states: number; reports: number };

const MIB = 1024 ** 2;
/** New work is refused when pictures are this far beyond their quota; until then agents remove the oldest. */
const pictureSlack = 1.25;
/** What tasks that had begun may still add, and the last picture of each open session. */
const underWayBytes = 2 * MIB;
/** Of one session, by the minute. */
const mostReports = 31;
const fileBytes = 149 * 1024;
const downloadBytes = MIB;
const stateBytes = 700_000;

const pages: Record<string, string> = {
  '/heavy': `<title>Heavy</title><script>localStorage.setItem('fill', 'x'.repeat(${stateBytes}))</script>`,
  '/download': '<title>Download</title><a href="/file">Large file</a>',
  '/busy': `<title>Busy</title><script>let n = 0;
    setInterval(() => { new Image().src = 'http://10.' + (n++ % 200) + '.1.1:' + (1000 + n) + '/'; }, 50);</script>`,
};

export async function fillUp(stackName: string, { secs, quietSecs, quotas }: FillingSize) {
  const site = await startSite((request, response) => {
    if (request.url === '/file') {
      response.setHeader('content-disposition', 'attachment; filename="large.bin"').end(Buffer.alloc(downloadBytes));
    } else response.setHeader('content-type', 'text/html').end(pages[request.url ?? ''] ?? '');
  });
  const settings = {
    QUOTA_FILE_MB_PER_USER: String(quotas.files),
    RECORDING_MAX_MB_PER_USER: String(quotas.pictures),
    QUOTA_STATE_MB_PER_USER: String(quotas.states),
  };
  try {
    return await withOther(stackName, { sites: [site.url], settings }, async (crowd) => {
      const { stack, timesOf } = crowd;
      const greedy = await crowd.register('greedy');
      const profileId = await makeProfile(greedy, site.url, stack);
      await timesOf(1);
      const alone = await timesOf(quietSecs);
      const ending = new AbortController();
      const { counts, ended } = fill(greedy, { siteUrl: site.url, profileId, signal: ending.signal });
      const watch = watchStored(stack, ending.signal);
      const beside = await timesOf(secs);
      ending.abort();
      await ended;
      const most = await watch;
      return {
        secs,
        calls_of_the_filling_user: counts,
        most_stored_mb: {
          files: { most: mib(most.files), quota: quotas.files },
          pictures: { most: mib(most.pictures), quota: quotas.pictures },
          states: { most: mib(most.states), quota: quotas.states },
        },
        reports_of_one_session: { most: most.reports, allowed: mostReports * (Math.floor(secs / 60) + 1) },
        is_within: isWithin(most, quotas, secs),
        other_user_ms: { alone: summaryOf(alone), beside: summaryOf(beside), p95_ratio: ratioOf(beside, alone) },
      };
    });
  } finally {
    await site.close();
  }
}

/** With another user, who does the same all the time; `timesOf` says how long that took. */
const withOther = <T>(
  stackName: string,
  size: Parameters<typeof withCrowd>[1],
  work: (crowd: Crowd & Pick<OtherUser, 'timesOf'>) => Promise<T>,
) =>
  withCrowd(stackName, size, async (crowd) => {
    const { timesOf, close } = startOtherUser(await crowd.registerFor('other'));
    return work({ ...crowd, timesOf }).finally(close);
  });

const isWithin = ({ files, pictures, states, reports }: Stored, quotas: Quotas, secs: number): boolean =>
  files <= quotas.files * MIB &&
  states <= quotas.states * MIB &&
  pictures <= quotas.pictures * MIB * pictureSlack + underWayBytes &&
  reports <= mostReports * (Math.floor(secs / 60) + 1);

async function makeProfile(client: Client, siteUrl: string, stack: Stack): Promise<string> {
  const { session } = await client.createSession();
  // The state that is saved with a step may be older than what the page has just stored.
  for (let tries = 0; tries < 5; tries += 1) {
    const { task_id } = await client.sendChat({ prompt: `open ${siteUrl}/heavy`, session_id: session.id });
    const { status, last_error } = await endOf(client, task_id, 30_000);
    if (status !== 'success') throw new Error(`the heavy page was not opened: ${last_error}`);
    const { profile } = await client.createProfile({ label: 'heavy', session_id: session.id });
    const { states } = await asked(stack, inDatabase);
    if (states < stateBytes) continue;
    await client.deleteSession({ id: session.id });
    return profile.id;
  }
  throw new Error('the state of the heavy page is not saved');
}

async function asked<T>({ services }: Stack, ask: (database: pg.Client) => Promise<T>): Promise<T> {
  const database = new pg.Client({ connectionString: services.databaseUrl() });
  // The database may go down while a sample is taken: the query fails then, and says so.
  database.on('error', () => {});
  await database.connect();
  try {
    return await ask(database);
  } finally {
    await database.end();
  }
}

type Filling = { siteUrl: string; profileId: string; signal: AbortSignal };

/** Several lanes at once, each as fast as it is answered. */
function fill(client: Client, { siteUrl, profileId, signal }: Filling) {
  const counts = { accepted: 0, refused: 0 };
  const tryIt = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      const value = await call();
      counts.accepted += 1;
      return value;
    } catch {
      counts.refused += 1;
      // As a client that is in a hurry, and still lets its own machine live.
      await sleep(5);
      return undefined;
    }
  };
  const lane = async (turn: () => Promise<unknown>) => {
    while (!signal.aborted) await turn();
  };
  const withProfile = () => tryIt(() => client.createSession({ profile_id: profileId }));
  const closed = async () => {
    const { session } = (await withProfile()) ?? {};
    if (session) await tryIt(() => client.deleteSession({ id: session.id }));
  };
  const files = [{ name: 'a.bin', content_base64: Buffer.alloc(fileBytes).toString('base64') }];
  const cancelled = async () => {
    const { task_id: id } = (await tryIt(() => client.sendChat({ prompt: 'wait 60 s', files }))) ?? {};
    if (id) await tryIt(() => client.cancelTask({ id }));
  };
  const task = async (prompt: string, sessionId?: string) => {
    const sent = await tryIt(() => client.sendChat({ prompt, session_id: sessionId }));
    if (sent) await endOf(client, sent.task_id, 20_000);
    return sent?.session_id;
  };
  const downloads = async () => {
    const sessionId = await task(`open ${siteUrl}/download`);
    while (sessionId && !signal.aborted) await task('download "Large file"\nscreenshot\nscreenshot', sessionId);
  };
  const busy = async () => {
    await task(`open ${siteUrl}/busy`);
    while (!signal.aborted) await sleep(100);
  };
  const lanes = [lane(withProfile), lane(closed), lane(cancelled), lane(downloads), busy()];
  return { counts, ended: Promise.allSettled(lanes) };
}

/** The most that was stored at any moment, as the disk and the database say. */
const watchStored = (stack: Stack, signal: AbortSignal): Promise<Stored> =>
  asked(stack, async (database) => {
    const dir = join(stack.services.place.dir, 'blobs');
    const most: Stored = { files: 0, pictures: 0, states: 0, reports: 0 };
    for (let isLast = false; !isLast; await sleep(500)) {
      isLast = signal.aborted;
      const now = { ...(await onDisk(dir)), ...(await inDatabase(database)) };
      for (const kind of Object.keys(most) as (keyof Stored)[]) most[kind] = Math.max(most[kind], now[kind]);
    }
    return most;
  });

async function inDatabase(database: pg.Client): Promise<Pick<Stored, 'states' | 'reports'>> {
  const { rows } = await database.query<{ states: number; reports: number }>(
    `select ((select coalesce(sum(pg_column_size(sealed_state)), 0) from browsers)
       + (select coalesce(sum(pg_column_size(sealed_state)), 0) from profiles))::float8 as states,
       (select coalesce(max(count), 0)::int from (
          select count(*) from events where kind = 'log' and task_id is null group by session_id) as logged) as reports`,
  );
  return rows[0] ?? { states: 0, reports: 0 };
}

async function onDisk(dir: string): Promise<Pick<Stored, 'files' | 'pictures'>> {
  const sum = { files: 0, pictures: 0 };
  const names = await readdir(dir, { recursive: true }).catch(() => []);
  for (const name of names) {
    const found = await stat(join(dir, name)).catch(() => undefined);
    if (found?.isFile()) sum[name.includes('/files/') ? 'files' : 'pictures'] += found.size;
  }
  return sum;
}

const p95 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * 0.95)] ?? Number.NaN;
const summaryOf = (times: number[]) => ({ calls: times.length, p95: Math.round(p95(times) * 10) / 10 });
const ratioOf = (beside: number[], alone: number[]) => Math.round((100 * p95(beside)) / p95(alone)) / 100;
const mib = (bytes: number) => Math.round((bytes / MIB) * 10) / 10;
