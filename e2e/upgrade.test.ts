import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import { createClient } from '@pilothouse/sdk';
import { startShop } from '@pilothouse/stack';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { freePort } from '../testkit/stack/ports.ts';
import { withStack } from '../testkit/stack/with-services.ts';
import { until } from '../testkit/until.ts';
import { checkOutRelease, previousRelease } from './other-release.ts';

type Release = Awaited<ReturnType<typeof checkOutRelease>>;

const programOf = ({ dir }: Release, kind: string) => join(dir, 'apps', kind, 'src/main.ts');

describe('a rolling upgrade', () => {
  let installation: Installation;
  let release: Release;
  before(async () => {
    release = await checkOutRelease(previousRelease);
    const programs = { 'agent-2': programOf(release, 'agent'), 'server-2': programOf(release, 'server') };
    installation = await openInstallation('upgrade', { servers: 2, agents: 2, programs });
  });
  after(async () => {
    await installation?.close();
    await release?.close();
  });

  const shopping = (url: string): Step[] => [
    { action: 'navigate', url: `${url}/` },
    { action: 'click', target: 'Add Brass lantern to basket' },
    { action: 'navigate', url: `${url}/?slow_ms=1500` },
    { action: 'click', target: 'Add Pocket compass to basket' },
    { action: 'navigate', url: `${url}/basket` },
    { action: 'wait', for: { text: 'Pocket compass' } },
  ];
  /** Whether the part runs the code of the former release, by its command line. */
  async function isFormer(part: string): Promise<boolean> {
    const { pid } = installation.stack.status().processes[part] ?? {};
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes(release.dir);
  }

  /** One release begins the task and dies in its middle; the other, started after it, has to end it. */
  async function handOver({ from, to, server }: { from: string; to: string; server: number }): Promise<void> {
    const { shop, stack } = installation;
    const client = createClient({ baseUrl: stack.status().base_urls[server - 1] ?? '' });
    assert.deepEqual([await isFormer('agent-1'), await isFormer('agent-2')], [false, true]);
    await stack.kill(to);
    const before = shop.posts.length;
    const { task_id } = await client.sendChat({ prompt: 'two things', steps: shopping(shop.url) });
    let handed: Promise<void> | undefined;
    for await (const event of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(90_000) }))
      if (event.type === 'step' && event.step.index === 3 && event.step.status === 'running')
        handed ??= stack.kill(from).then(() => stack.start(to));
    await handed;
    const { status } = await client.getTaskStatus({ id: task_id });
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.equal(status.attempt, 2, 'another agent went on');
    const bought = shop.posts.slice(before).map(({ body }) => body);
    assert.deepEqual(bought, ['product=lantern', 'product=compass'], 'each was bought once');
    await stack.start(from);
  }

  it('ends a task of the release before on the next one', () =>
    handOver({ from: 'agent-2', to: 'agent-1', server: 2 }));

  it('ends a task of the next release on the one before, which is what rolling back needs', () =>
    handOver({ from: 'agent-1', to: 'agent-2', server: 1 }));
});

describe('an upgrade', () => {
  it('migrates the schema of the release before, and goes on with its tasks', async () => {
    const release = await checkOutRelease(previousRelease);
    const shop = await startShop();
    try {
      await withStack(`upgraded-${process.pid}`, async (stack) => {
        const port = await freePort();
        const size = { port, servers: 1, agents: 1, browsers: 1, disableAuth: true, sites: [shop.url] };
        const programs = Object.fromEntries(
          ['server', 'agent', 'browser'].map((kind) => [kind, programOf(release, kind)]),
        );
        await stack.up({ ...size, programs, migration: join(release.dir, 'packages/store/src/migrate.main.ts') });
        const client = createClient({ baseUrl: `http://127.0.0.1:${port}` });
        const steps: Step[] = [
          { action: 'navigate', url: `${shop.url}/` },
          { action: 'ask', question: 'Shall it go on?' },
          { action: 'click', target: 'Add Brass lantern to basket' },
        ];
        const { task_id: id } = await client.sendChat({ prompt: 'asks', steps });
        const statusOf = async () => (await client.getTaskStatus({ id })).status.status;
        await until(async () => (await statusOf()) === 'awaiting_user', 60_000);
        await stack.up(size);
        await client.signalTakeover({ id, answer: 'yes' });
        await until(async () => (await statusOf()) === 'success', 60_000);
        assert.deepEqual(
          shop.posts.map(({ body }) => body),
          ['product=lantern'],
        );
      });
    } finally {
      await shop.close();
      await release.close();
    }
  });

  it('is not tried from a commit that this clone does not have', () =>
    assert.rejects(checkOutRelease('0'.repeat(40)), /is not in this clone: fetch the whole history/));
});
