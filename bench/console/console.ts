// The console in a real Chromium before a whole installation: its weight, its live view, a press, and the first view.
import { measureFirstLoads } from '../../testkit/console-size.ts';
import { type BenchInstallation, withInstallation } from '../installation.ts';
import { measureFirstViews } from './first-view.ts';
import { measureLiveView, soak } from './live-view.ts';
import { measurePresses } from './press.ts';
import { openBareSide, openConsoleSide, pressKey } from './sides.ts';

type Sizes = {
  presses: number;
  /** Over which the processor is measured. */
  secs: number;
  /** Over which it is looked whether anything grows; none at 0. */
  minutes: number;
  views: number;
  settleMs?: number;
};

export const measureConsole = (sizes: Sizes) => withInstallation((installation) => measureIn(installation, sizes));

async function measureIn(installation: BenchInstallation, sizes: Sizes) {
  const { presses, secs, minutes, views, settleMs = 3000 } = sizes;
  const firstLoads = await measureFirstLoads();
  const site = installation.pressedPage;
  const closers: (() => Promise<void>)[] = [];
  try {
    const ours = await openConsoleSide(installation, site.url);
    closers.unshift(ours.viewer.close);
    const bare = await openBareSide(site.url, ours.size);
    closers.unshift(bare.close);
    const { client, baseUrl } = installation;

    const watched = await measureLiveView(client, ours, bare, { secs, settleMs });
    await ours.takeWheel();
    await Promise.all([pressKey(ours.cdp, 'Home', 36), pressKey(bare.cdp, 'Home', 36)]);
    await bare.cast();
    const key = await measurePresses(ours.side, bare.side, 'key', presses);
    const mouse = await measurePresses(ours.side, bare.side, 'mouse', presses);
    await bare.endCast();
    await pressKey(ours.cdp, 'End', 35);
    const driven = await measureLiveView(client, ours, bare, { secs, settleMs });
    const grown = minutes > 0 ? await soak(ours, minutes) : undefined;
    await pressKey(ours.cdp, 'Home', 36);
    return {
      script_kb: Object.fromEntries(Object.entries(firstLoads).map(([page, { kb }]) => [page, kb])),
      live_view: { watched, driven },
      press_to_painted_ms: { key, mouse },
      soak: grown,
      first_view_ms: await measureFirstViews(baseUrl, ours.sessionId, views),
    };
  } finally {
    for (const close of closers) await close();
  }
}
