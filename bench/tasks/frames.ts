import type { Client } from '@pilothouse/sdk';
import type { Installation } from '../../testkit/installation.ts';
import { until } from '../../testkit/until.ts';
import { compare, now, openBareSide, type Side, timeChange, withRatio } from '../browser/live.ts';
import { type BenchSite, kindOf } from '../browser/site.ts';

/**
 * From a change of the page to the frame that shows it: at a client of our HTTP stream, beside a bare Chromium that is
 * asked over its own protocol in this process. Taken in turn.
 */
export async function measureFrames({ client }: Installation, site: BenchSite, count: number) {
  const bare = await openBareSide(site);
  const ended = new AbortController();
  try {
    const { session } = await client.createSession();
    const { task_id } = await client.sendChat({
      prompt: 'watch',
      session_id: session.id,
      steps: [{ action: 'navigate', url: `${site.url}/turning?who=ours` }],
    });
    for await (const _ of client.followTask({ id: task_id }, { signal: AbortSignal.timeout(30_000) }));
    const press = () => Promise.reject(new Error('nobody drives this session'));
    const ours: Side = { who: 'ours', frames: followFrames(client, session.id, ended.signal), press };
    const sides: [Side, Side] = [ours, bare.side];
    await until(() => sides.every(({ who, frames }) => site.isWaiting(who) && frames.length > 0), 30_000);
    return withRatio(await compare(sides, count, (side) => timeChange(site, side)));
  } finally {
    ended.abort();
    await bare.close();
  }
}

/** The frames of a session as a client of its HTTP stream gets them; the list grows until the signal ends it. */
export function followFrames(client: Client, id: string, signal: AbortSignal): Side['frames'] {
  const frames: Side['frames'] = [];
  const follow = async () => {
    for await (const event of client.followSession({ id }, { signal })) {
      if (event.type !== 'frame') continue;
      frames.push({ kind: kindOf(Buffer.byteLength(event.frame.screenshot_base64, 'base64')), at: now() });
    }
  };
  // Ends with the signal; a stream that breaks before is seen by the frames that do not come.
  void follow().catch(() => undefined);
  return frames;
}
