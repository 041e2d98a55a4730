// The console in a real Chromium before a whole installation: its weight, its live view, a press, and the first view.
import { measureFirstLoads } from '../../testkit/console-size.ts';
import { openInstallation } from '../../testkit/installation.ts';
import { measureFirstViews } from './first-view.ts';
import { measureLiveView } from './live-view.ts';
import { measurePresses } from './press.ts';
import { openPressedPage } from './pressed-page.ts';
import { openBareSide, openConsoleSide } from './sides.ts';

type Sizes = {
  presses: number;
  /** Over which the processor is measured. */
  secs: number;
  /** Over which it is looked whether anything grows; none at 0. */
  minutes: number;
  views: number;
};

export async function measureConsole({ presses, secs, minutes, views }: Sizes) {
  const firstLoads = await measureFirstLoads();
  const site = await openPressedPage();
  const installation = await openInstallation('bench-console', { sites: [site.url] });
  try {
    const ours = await openConsoleSide(installation, site.url);
    const bare = await openBareSide(site.url, ours.size).catch(async (error) => {
      await ours.close();
      throw error;
    });
    try {
      const key = await measurePresses(ours.side, bare.side, 'key', presses);
      const mouse = await measurePresses(ours.side, bare.side, 'mouse', presses);
      const live = await measureLiveView(installation, ours, bare, { secs, minutes });
      const first = await measureFirstViews(installation.baseUrl, ours.sessionId, views);
      return {
        script_kb: Object.fromEntries(Object.entries(firstLoads).map(([page, { kb }]) => [page, kb])),
        press_to_painted_ms: { key, mouse },
        live_view: live,
        first_view_ms: first,
      };
    } finally {
      await bare.close();
      await ours.close();
    }
  } finally {
    await installation.close();
    await site.close();
  }
}
