import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { LiveEvent, Step, TaskEvent } from '@pilothouse/contract';
import { type Installation, openInstallation } from '../testkit/installation.ts';

describe('a task survives the death of', () => {
  let installation: Installation;
  before(async () => {
    installation = await openInstallation('survive');
  });
  after(() => installation.close());

  /** Puts two things into the basket, with pauses in which something can be shot. */
  const shopping = (url: string): Step[] => [
    { action: 'navigate', url: `${url}/` },
    { action: 'click', target: 'Add Brass lantern to basket' },
    { action: 'navigate', url: `${url}/?slow_ms=1500` },
    { action: 'click', target: 'Add Pocket compass to basket' },
    { action: 'navigate', url: `${url}/basket` },
    { action: 'wait', for: { text: 'Pocket compass' } },
  ];

  /** Runs it, calls `disturb` once step three is being done, and follows to the end. */
  async function runDisturbed(disturb: () => Promise<void>) {
    const { client, shop } = installation;
    const before = shop.posts.length;
    const { task_id, session_id } = await client.sendChat({ prompt: 'two things', steps: shopping(shop.url) });
    const events: TaskEvent[] = [];
    let disturbed: Promise<void> | undefined;
    for await (const event of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(60_000) })) {
      events.push(event);
      if (event.type === 'step' && event.step.index === 3 && event.step.status === 'running') disturbed ??= disturb();
    }
    await disturbed;
    const { status } = await client.getTaskStatus({ id: task_id });
    return { task_id, session_id, events, status, posts: shop.posts.slice(before) };
  }
  const logged = <Event extends TaskEvent | LiveEvent>(events: Event[]) =>
    events.flatMap((event) => ('seq' in event ? event.seq : []));

  it('the agent: it ends, and finished steps are not repeated', async () => {
    const { status, posts, events } = await runDisturbed(async () => {
      await installation.stack.kill('agent-1');
      await installation.stack.start('agent-1');
    });
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.equal(status.attempt, 2, 'another agent went on');
    assert.deepEqual(
      posts.map(({ body }) => body),
      ['product=lantern', 'product=compass'],
      'each was bought once',
    );
    const done = events.flatMap((event) =>
      event.type === 'step' && event.step.status === 'success' ? event.step.index : [],
    );
    assert.deepEqual(done, [1, 2, 3, 4, 5, 6], 'each step succeeded once');
  });

  it('no more than five agents in a row, without a step done: it fails, and says so', async () => {
    const { client, stack } = installation;
    // For the page: a long wait for the clock would leave the agent.
    const never = { action: 'wait', for: { text: 'never' }, timeout_secs: 300 } as const;
    const { task_id } = await client.sendChat({ prompt: 'wait', steps: [never] });
    const statusNow = async () => (await client.getTaskStatus({ id: task_id })).status;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const deadline = performance.now() + 20_000;
      while ((await statusNow()).attempt < attempt || (await statusNow()).current_step === 0) {
        assert.ok(performance.now() < deadline, `no attempt ${attempt}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.equal((await statusNow()).status, 'running', `attempt ${attempt}`);
      await stack.kill('agent-1');
      await stack.start('agent-1');
    }
    for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(20_000) }));
    const { status, last_error } = await statusNow();
    assert.equal(status, 'failed');
    assert.match(last_error ?? '', /begun 5 times without finishing a step, the last time at "Wait for/);
  });

  it('the browser host: another browser has the cookies and the page, and it ends', async () => {
    const { status, posts, session_id } = await runDisturbed(async () => {
      await installation.stack.kill('browser-1');
      await installation.stack.start('browser-1');
    });
    assert.equal(status.status, 'success', status.last_error ?? '');
    assert.deepEqual(
      posts.map(({ body }) => body),
      ['product=lantern', 'product=compass'],
    );
    assert.equal(new Set(posts.map(({ visitor }) => visitor)).size, 1, 'the shop knows the visitor by the cookie');
    assert.ok(
      status.agent_history.some((entry) => entry.step_index === 3 && entry.status === 'interrupted'),
      'the cut try is on record',
    );
    const { snapshot } = await installation.client.getSession({ id: session_id });
    assert.equal(snapshot.route_summary.current.url, `${installation.shop.url}/basket`);
  });

  it('the server: streams go on where they were, without a gap and without a repeat', async () => {
    const live: LiveEvent[] = [];
    const stop = new AbortController();
    const { client } = installation;
    const { session } = await client.createSession();
    const watching = (async () => {
      for await (const event of client.followSession({ id: session.id }, { signal: stop.signal })) live.push(event);
    })().catch(() => {});
    const { task_id } = await client.sendChat({
      prompt: 'two things',
      session_id: session.id,
      steps: shopping(installation.shop.url),
    });
    const events: TaskEvent[] = [];
    let disturbed: Promise<void> | undefined;
    for await (const event of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(60_000) })) {
      events.push(event);
      if (event.type !== 'step' || event.step.index !== 3 || disturbed) continue;
      disturbed = installation.stack.kill('server-1').then(() => installation.stack.start('server-1'));
    }
    await disturbed;
    const replay: TaskEvent[] = [];
    for await (const event of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(10_000) }))
      replay.push(event);
    assert.deepEqual(logged(events), logged(replay), 'what was seen live is what is in the log');
    assert.equal(events.at(-1)?.type, 'end');

    // The session's own stream sees the end of the task too, each event once and in order.
    const deadline = performance.now() + 10_000;
    const hasEnd = () => live.some((event) => event.type === 'task' && event.status.status === 'success');
    while (!hasEnd() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort();
    await watching;
    assert.ok(hasEnd(), 'the session stream came back');
    const seqs = logged(live);
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].sort((a, b) => a - b),
    );
  });
});
