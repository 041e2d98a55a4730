import { openHouse } from '../e2e/house.ts';
import { ratio } from './figures.ts';
import { measureFrames, openChangingSite } from './frames.ts';
import { measureStart } from './start.ts';

/** The whole way through: a chat to its first step, and a change of the page to its frame. */
export async function measureSlice(count: number) {
  const site = await openChangingSite();
  const house = await openHouse('bench', { sites: [site.url] });
  try {
    process.env.TEST_DATABASE_URL = house.stack.services.databaseUrl();
    const start = await measureStart(house, count);
    const frames = await measureFrames(house, site, count);
    return {
      chat_to_first_step_ms: { ...start, ratio: ratio(start.ours, start.bare) },
      change_to_frame_ms: { ...frames, ratio: ratio(frames.ours, frames.bare) },
    };
  } finally {
    await house.close();
    await site.close();
  }
}
