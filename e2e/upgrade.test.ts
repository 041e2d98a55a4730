import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Step } from '@pilothouse/contract';
import { type Installation, openInstallation } from '../testkit/installation.ts';
import { copyRelease, type Edit } from './other-release.ts';

/** Ticks that did one step each do a step in three: what one release counts fits no other. */
const edits: Edit[] = [
  {
    file: 'apps/agent/src/task/run.ts',
    from: '  async function act(turn: Turn): Promise<Next> {\n',
    to: `  const seen = new Map<number, number>();
  async function act(turn: Turn): Promise<Next> {
    const times = (seen.get(turn.index) ?? 0) + 1;
    seen.set(turn.index, times);
    if (times % 3 !== 0) return 'again';
`,
  },
  {
    file: 'apps/agent/src/ledger/task-end.ts',
    from: "'The task is done.'",
    to: "'The task is done, by another release.'",
  },
];

describe('a rolling upgrade', () => {
  let installation: Installation;
  let release: Awaited<ReturnType<typeof copyRelease>>;
  before(async () => {
    release = await copyRelease(edits);
    const programs = { 'agent-2': join(release.dir, 'apps/agent/src/main.ts') };
    installation = await openInstallation('upgrade', { agents: 2, programs });
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

  /** One release begins the task and dies in its middle; the other, started after it, has to end it. */
  async function handOver(from: string, to: string): Promise<string[]> {
    const { client, shop, stack } = installation;
    await stack.kill(to);
    const before = shop.posts.length;
    const { task_id } = await client.sendChat({ prompt: 'two things', steps: shopping(shop.url) });
    let handed: Promise<void> | undefined;
    const said: string[] = [];
    for await (const event of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(60_000) })) {
      if (event.type === 'log') said.push(event.log.message);
      if (event.type === 'step' && event.step.index === 3 && event.step.status === 'running')
        handed ??= stack.kill(from).then(() => stack.start(to));
    }
    await handed;
    const { status } = await client.getTaskStatus({ id: task_id });
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.equal(status.attempt, 2, 'another agent went on');
    const bought = shop.posts.slice(before).map(({ body }) => body);
    assert.deepEqual(bought, ['product=lantern', 'product=compass'], 'each was bought once');
    await stack.start(from);
    return said;
  }

  it('ends a task of the release before on the next one', async () => {
    assert.ok((await handOver('agent-1', 'agent-2')).includes('The task is done, by another release.'));
  });

  it('ends a task of the next release on the one before, which is what rolling back needs', async () => {
    assert.ok((await handOver('agent-2', 'agent-1')).includes('The task is done.'));
  });
});
