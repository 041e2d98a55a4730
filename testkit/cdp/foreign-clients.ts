// Programs of other makers, as scripts/foreign-clients installs them. They must never be imported by their names: they are no part of
// the repository's own installation.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../stack/folders.ts';

const installed = join(root, '.tools/foreign-clients');
const folder = join(installed, 'node_modules');

export const hasForeignClients = (): boolean => existsSync(join(installed, '.installed'));

/** The command of the MCP server of Playwright. */
export const playwrightMcp = join(folder, '@playwright/mcp/cli.js');

type StagehandPage = {
  goto(url: string): Promise<unknown>;
  title(): Promise<string>;
  locator(selector: string): {
    click(): Promise<unknown>;
    fill(text: string): Promise<unknown>;
    count(): Promise<number>;
    textContent(): Promise<string>;
    inputValue(): Promise<string>;
  };
};
export type Stagehand = { init(): Promise<unknown>; context: { pages(): StagehandPage[] }; close(): Promise<void> };

/** What its API has of this. No model is needed for it. */
export async function startStagehand(cdpUrl: string): Promise<Stagehand> {
  const path = join(folder, '@browserbasehq/stagehand/dist/esm/index.js');
  const { Stagehand: Made } = (await import(pathToFileURL(path).href)) as {
    Stagehand: new (options: object) => Stagehand;
  };
  const options = { env: 'LOCAL', verbose: 0, disablePino: true, localBrowserLaunchOptions: { cdpUrl } };
  const stagehand = new Made(options);
  await stagehand.init();
  return stagehand;
}
