// Counts the frames that viewers of a session get while something is done.

import type { Client } from '@pilothouse/sdk';

export async function framesDuring(
  viewer: Pick<Client, 'followSession'>,
  id: string,
  work: () => Promise<void>,
): Promise<number> {
  const stop = new AbortController();
  let frames = 0;
  const watching = (async () => {
    for await (const event of viewer.followSession({ id }, { signal: stop.signal }))
      if (event.type === 'frame') frames += 1;
  })().catch(() => {});
  await work().finally(() => stop.abort());
  await watching;
  return frames;
}
