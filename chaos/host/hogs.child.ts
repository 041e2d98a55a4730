// One hog in a process of its own: how long others wait for a host depends on what else its process holds.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { HogName } from '../../apps/browser/testing/hogs.ts';
import { type FeedOptions, feedHog, type HogResult } from './hogs.ts';

type FeedOrder = { name: HogName; options: FeedOptions };

export async function feedHogApart(name: HogName, options: FeedOptions): Promise<HogResult> {
  const order: FeedOrder = { name, options };
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(order)]);
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the hog's process ended with ${code}`);
  });
  // Of our own making.
  const [result] = await Promise.race([once(child, 'message'), exited]);
  exited.catch(() => undefined);
  return result as HogResult;
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  // Given by the function above.
  const { name, options } = JSON.parse(process.argv[2] ?? '') as FeedOrder;
  process.send(await feedHog(name, options));
  process.disconnect();
}
