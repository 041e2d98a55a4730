// More browser hosts and fewer again, with nothing but `--scale`: sessions spread over those that come, and no task is lost to those
// that go.
import assert from 'node:assert/strict';
import { type Client, runTask } from '@pilothouse/sdk';
import { until } from '../../testkit/until.ts';
import { type Installation, siteUrl } from './installation.ts';

type Step = <T>(name: string, work: () => Promise<T>) => Promise<T>;

const [many, few] = [4, 1];
const tasks = 8;
const spreadMs = 60_000;
/** Long enough that all of them work when hosts are taken away. */
const turns = 6;

/** How many sessions each host holds, by its id. */
async function sessionsByHost({ compose }: Installation): Promise<Map<string, number>> {
  const told = await compose(['exec', '--no-TTY', 'server', 'node', 'apps/server/src/admin.main.ts', 'hosts']);
  return new Map(
    [...told.matchAll(/^(join-\w+) {2}(\d+) of \d+ sessions/gm)].map(([, id = '', count]) => [id, Number(count)]),
  );
}

const scaleTo = ({ compose }: Installation, count: number) =>
  compose(['up', '--detach', '--wait', '--wait-timeout=150', '--no-recreate', `--scale=browser=${count}`]);

export async function scaleHosts(installation: Installation, client: Client, step: Step): Promise<void> {
  await step(`there are ${many} browser hosts`, async () => {
    await scaleTo(installation, many);
    await until(async () => (await sessionsByHost(installation)).size === many, spreadMs);
  });
  const runs = await Promise.all(
    Array.from({ length: tasks }, (_, index) => {
      const search = `open ${siteUrl}\ntype "rope${index}" into "Search"\nclick "Find"\nwait 2 s`;
      const prompt = `${Array.from({ length: turns }, () => search).join('\n')}\nextract text css "h2" as found`;
      return runTask(client, { prompt });
    }),
  );
  const ended = Promise.all(runs.map((run) => run.finished()));
  ended.catch(() => {});
  await step('sessions spread over them', () =>
    until(async () => {
      const counts = [...(await sessionsByHost(installation)).values()];
      return counts.length === many && counts.every((count) => count > 0);
    }, spreadMs),
  );
  await step(`all but ${few} go, and every task succeeds`, async () => {
    await scaleTo(installation, few);
    for (const [index, { status, result, ...task }] of (await ended).entries()) {
      assert.equal(status, 'success', JSON.stringify(task));
      assert.deepEqual(result?.data, { found: `Found rope${index}` });
    }
    await until(async () => (await sessionsByHost(installation)).size === few, spreadMs);
  });
  for (const { sessionId } of runs) await client.deleteSession({ id: sessionId });
}
