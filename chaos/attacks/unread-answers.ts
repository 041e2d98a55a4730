import { setTimeout as sleep } from 'node:timers/promises';
import { withStack } from '../../testkit/stack/with-services.ts';
import {
  kindsOfGuest,
  kindsOfOwner,
  megabytesOf,
  openNoise,
  openUnread,
  readSlowly,
  stillOpen,
  warmUp,
  watchMemory,
} from '../unread/unread.ts';
import type { Attack } from './attack.ts';

/** What all of it together may cost. */
const mostMegabytes = 150;
/** The bound is 10 s; the server looks every second. */
const cutWithinMs = 13_000;

export const unreadAnswers: Attack = {
  name: 'unread-answers',
  what: 'one user, and one guest of a share, ask for large pictures and streams on many sockets and read none of them',
  run: ({ stackName, isSmall }) =>
    withStack(stackName, async (stack) => {
      const noise = await openNoise(stack);
      try {
        const count = isSmall ? 40 : 200;
        const wanted = [...kindsOfOwner(noise), ...kindsOfGuest(noise)].flatMap((kind) => {
          if (kind.name === 'images embedded' || kind.name === 'live streams') return [{ kind, count }];
          return kind.name === 'bundles of 100 tags by a guest' ? [{ kind, count: 2 }] : [];
        });
        const reached: string[] = [];
        const figures: Record<string, number> = {};
        await warmUp(noise, count);
        const begun = Promise.withResolvers<void>();
        const slow = readSlowly(noise, 300 * 1024, begun.resolve);
        // The others are of the same user, and would have it refused if they came first.
        await Promise.race([begun.promise, slow]);
        const opened: { name: string; sockets: ReturnType<typeof openUnread> }[] = [];
        for (const { kind, count: many } of wanted) {
          const base = megabytesOf(noise.pid);
          const memory = watchMemory(noise.pid);
          opened.push({ name: kind.name, sockets: openUnread(noise.port, kind, many) });
          await sleep(isSmall ? 2000 : 4000);
          memory.stop();
          const grown = memory.most() - base;
          figures[`${kind.name}, MB`] = grown;
          if (grown > mostMegabytes) reached.push(`${many} unread ${kind.name} cost the server ${grown} MB`);
        }
        await sleep(cutWithinMs);
        for (const { name, sockets } of opened) {
          const left = stillOpen(noise.port, sockets);
          figures[`${name}, open after ${cutWithinMs / 1000} s`] = left;
          if (left > 0)
            reached.push(`${left} of ${sockets.length} unread ${name} are still held after ${cutWithinMs / 1000} s`);
          for (const socket of sockets) socket.destroy();
        }
        return { tried: opened.length, reached, broken: await brokenFor(noise, await slow), figures };
      } finally {
        noise.close();
      }
    }),
};

/** Who reads is served as before: a picture slowly, a snapshot with its picture, and the stream that begins with it. */
async function brokenFor(noise: Awaited<ReturnType<typeof openNoise>>, slow: { bytes: number; ms: number }) {
  const broken: string[] = [];
  if (slow.bytes < noise.imageBytes)
    broken.push(`a slow reader got ${slow.bytes} of ${noise.imageBytes} bytes in ${slow.ms} ms`);
  try {
    const { client } = noise.owner;
    const { snapshot } = await client.getSession({ id: noise.sessionId });
    if (!snapshot.last_frame?.screenshot_base64) broken.push('the snapshot has no picture');
    for await (const event of client.followSession({ id: noise.sessionId }, { signal: AbortSignal.timeout(10_000) })) {
      if (event.type === 'snapshot' && !event.snapshot.last_frame) broken.push('the stream begins without a picture');
      break;
    }
  } catch (error) {
    broken.push(`the owner is refused afterwards: ${error}`);
  }
  return broken;
}
