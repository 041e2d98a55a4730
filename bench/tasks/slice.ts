import { ratio } from '../../testkit/percentiles.ts';
import { withInstallation } from '../installation.ts';
import { measureFrames } from './frames.ts';
import { measureStart } from './start.ts';

/** The whole way through: a chat to its first step, and a change of the page to its frame. */
export const measureSlice = (count: number) =>
  withInstallation(async (installation) => {
    process.env.TEST_DATABASE_URL = installation.stack.services.adminDatabaseUrl();
    const start = await measureStart(installation, count);
    const frames = await measureFrames(installation, installation.site, count);
    return {
      chat_to_first_step_ms: { ...start, ratio: ratio(start.ours, start.bare) },
      change_to_frame_ms: frames,
    };
  });
