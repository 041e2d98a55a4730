import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@pilothouse/sdk';
import { until } from '../../testkit/until.ts';
import { compare, openBareSide, point, type Side, timePress, withRatio } from '../browser/live.ts';
import type { BenchSite } from '../browser/site.ts';
import { type BenchInstallation, withInstallation } from '../installation.ts';
import { openDriven } from './driven.ts';
import { followFrames } from './frames.ts';

/**
 * From a press of a person who drives to the frame that shows its effect: over HTTP both ways, through a whole
 * installation, beside a bare Chromium that is asked over its own protocol. Taken in turn.
 */
export const measureWheel = (count: number) => withInstallation((installation) => measureIn(installation, count));

async function measureIn({ client, site }: BenchInstallation, count: number) {
  const bare = await openBareSide(site);
  const ended = new AbortController();
  try {
    const ours = await openOurSide(client, site, ended.signal);
    await until(() => [ours, bare.side].every(({ frames }) => frames.length > 0), 10_000);
    await sleep(500);
    return { press_to_frame_ms: withRatio(await compare([ours, bare.side], count, timePress)) };
  } finally {
    ended.abort();
    await bare.close();
  }
}

async function openOurSide(client: Client, site: BenchSite, signal: AbortSignal): Promise<Side> {
  const { id, give } = await openDriven(client);
  await give({ action: 'navigate', url: `${site.url}/turning?who=ours` });
  const press = () => give({ action: 'click', ...point });
  return { who: 'ours', frames: followFrames(client, id, signal), press };
}
