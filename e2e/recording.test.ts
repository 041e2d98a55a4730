import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RecordingItem, Step } from '@pilothouse/contract';
import { openInstallation } from '../testkit/installation.ts';

it('shows afterwards what was seen and done in a session, step by step and in between', async () => {
  const installation = await openInstallation('recording', { agents: 2 });
  try {
    const { client, shop } = installation;
    const { session } = await client.createSession({ record: true });
    const id = session.id;
    const steps: Step[] = [
      { action: 'navigate', url: `${shop.url}/` },
      { action: 'wait', for: { secs: 3 } },
      { action: 'click', target: 'Add Brass lantern to basket' },
      { action: 'wait', for: { secs: 2 } },
    ];
    const { task_id } = await client.sendChat({ prompt: 'a lantern', steps, session_id: id });
    for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(60_000) }));

    const items: RecordingItem[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.getRecording({ id, limit: 5, cursor });
      items.push(...page.items);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    const times = items.map(({ recorded_at }) => recorded_at);
    assert.deepEqual(times, times.toSorted());

    const frames = items.flatMap((item) => (item.type === 'frame' ? item.frame : []));
    const between = frames.filter(({ step_id }) => step_id === null);
    console.log(`frames: ${frames.length}, of them between the steps: ${between.length}`);
    assert.ok(frames.some(({ step_id }) => step_id === 'step-1') && frames.some(({ step_id }) => step_id === 'step-3'));
    assert.ok(between.length > 0);
    assert.ok(between.every((frame) => frame.task_id === task_id));
    for (const { path } of frames) {
      const response = await fetch(installation.baseUrl + path);
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/jpeg']);
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.equal(bytes.toString('hex', 0, 2), 'ffd8');
    }
    assert.ok(items.some((item) => item.type === 'overlay' && item.overlay.kind === 'click'));
    const told = items.flatMap((item) =>
      item.type === 'event' && item.event.type === 'task' ? item.event.status : [],
    );
    assert.deepEqual([told[0]?.status, told.at(-1)?.status], ['pending', 'success']);
  } finally {
    await installation.close();
  }
});
