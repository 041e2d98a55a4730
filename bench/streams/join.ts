import { setTimeout as sleep } from 'node:timers/promises';
import { figuresOf } from '../../testkit/percentiles.ts';
import { withInstallation } from '../installation.ts';

const pauseMs = 100;

/** A viewer joins a session whose page stands still: from the request until the picture is there. */
export const measureJoin = (count: number) =>
  withInstallation(async ({ client, site }) => {
    const { session_id: id, task_id } = await client.sendChat({
      prompt: 'look',
      steps: [{ action: 'navigate', url: `${site.url}/still` }],
    });
    for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(30_000) }));
    const join = async (): Promise<number> => {
      const begun = performance.now();
      const signal = AbortSignal.timeout(10_000);
      for await (const event of client.followSession({ id }, { signal })) {
        const hasPicture = event.type === 'frame' || (event.type === 'snapshot' && event.snapshot.last_frame !== null);
        if (hasPicture) return performance.now() - begun;
      }
      throw new Error('the stream ended without a picture');
    };
    const times = async () => {
      const all: number[] = [];
      for (let i = 0; i < count; i += 1) {
        all.push(await join());
        await sleep(pauseMs);
      }
      return figuresOf(all);
    };
    const alone = await times();
    const stop = new AbortController();
    const watching = (async () => {
      for await (const _ of client.followSession({ id }, { signal: stop.signal }));
    })().catch(() => {});
    await sleep(1000);
    const beside = await times();
    stop.abort();
    await watching;
    await client.deleteSession({ id });
    return { first_viewer_ms: alone, further_viewer_ms: beside };
  });
