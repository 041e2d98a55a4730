// The installation that a bench measures, with the pages that its browsers visit; one for several benches where they are small.

import { type Installation, openInstallation } from '../testkit/installation.ts';
import { type BenchSite, openBenchSite } from './browser/site.ts';
import { openPressedPage } from './console/pressed-page.ts';

export type BenchInstallation = Installation & { site: BenchSite; pressedPage: { url: string } };

let isShared = false;
let shared: Promise<BenchInstallation> | undefined;

/** From now on all benches of this process use the same one, which is opened by the first; returns how it is closed. */
export function shareInstallation(): () => Promise<void> {
  isShared = true;
  return async () => {
    isShared = false;
    await (await shared)?.close();
  };
}

export async function withInstallation<T>(work: (installation: BenchInstallation) => Promise<T>): Promise<T> {
  if (isShared) {
    shared ??= open();
    return work(await shared);
  }
  const own = await open();
  try {
    return await work(own);
  } finally {
    await own.close();
  }
}

async function open(): Promise<BenchInstallation> {
  const [site, pressedPage] = [await openBenchSite(), await openPressedPage()];
  const closeSites = () => Promise.all([site.close(), pressedPage.close()]);
  try {
    const installation = await openInstallation('bench', { sites: [site.url, pressedPage.url] });
    const close = async () => {
      await installation.close();
      await closeSites();
    };
    return { ...installation, site, pressedPage, close };
  } catch (error) {
    await closeSites();
    throw error;
  }
}
