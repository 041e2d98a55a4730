import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, LiveEvent } from '@pilothouse/contract';
import type { Client } from '@pilothouse/sdk';

/** Everything that a viewer is sent of a session, until it is closed. */
export function watchSession(client: Client, id: string) {
  const ended = new AbortController();
  const events: LiveEvent[] = [];
  const following = (async () => {
    for await (const event of client.followSession({ id }, { signal: ended.signal })) events.push(event);
  })();
  return {
    events,
    frames: (): Frame[] => events.flatMap((event) => (event.type === 'frame' ? event.frame : [])),
    /** Has to be called: a stream begins again for ever when its server goes, and keeps the process alive. */
    async close() {
      ended.abort();
      await Promise.allSettled([following]);
    },
  };
}

/** Throws where it is not so within a minute. */
export async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  const late = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > late) throw new Error(`not ${what}`);
    await sleep(50);
  }
}

/** A picture that stands in the place of one that is withheld is a PNG; pictures of pages are JPEGs. */
export const isWithheld = ({ content_type }: { content_type: string }): boolean => content_type === 'image/png';

export const bytesOf = ({ screenshot_base64 }: Frame): Buffer => Buffer.from(screenshot_base64, 'base64');

/** The pictures that a task kept of its steps. */
export async function stepPicturesOf(
  client: Client,
  taskId: string,
): Promise<{ isWithheld: boolean; image: Buffer }[]> {
  const { data } = await client.listObservations({ id: taskId, include: 'image' });
  return data.observations.flatMap(({ artifact }) =>
    artifact?.content_type.startsWith('image/')
      ? { isWithheld: isWithheld(artifact), image: Buffer.from(artifact.data_base64 ?? '', 'base64') }
      : [],
  );
}
