// Finds the Chromium that browser hosts start: the one of a setting, the system's, or one that Playwright fetched.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { firstOf, packageFolder } from './find-file.ts';

type Environment = Record<string, string | undefined>;

/** Programs themselves: a script between the host and its browser would be killed in place of the browser. */
const ofTheSystem = [
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib64/chromium-browser/headless_shell',
  '/usr/lib/chromium/chromium',
  '/usr/lib64/chromium-browser/chromium-browser',
  '/usr/lib/chromium-browser/chromium-browser',
  '/opt/google/chrome/chrome',
];

/** Undefined where there is none, also where a setting names a file that is not there. */
export function findChromium(env: Environment = process.env): string | undefined {
  if (env.CHROMIUM_PATH) return firstOf([env.CHROMIUM_PATH]);
  return firstOf(ofTheSystem) ?? ofPlaywright(playwrightCache(env));
}

function playwrightCache({ PLAYWRIGHT_BROWSERS_PATH, XDG_CACHE_HOME }: Environment): string {
  return PLAYWRIGHT_BROWSERS_PATH || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'ms-playwright');
}

/** The newest in this cache; a headless shell before a whole browser. */
export function ofPlaywright(cache: string): string | undefined {
  const folders = existsSync(cache) ? readdirSync(cache) : [];
  const named = (prefix: string) =>
    folders
      .filter((name) => name.startsWith(`${prefix}-`))
      .sort((one, other) => Number(other.slice(prefix.length + 1)) - Number(one.slice(prefix.length + 1)));
  const shells = ['chrome-headless-shell-linux64/chrome-headless-shell', 'chrome-linux/headless_shell'];
  const browsers = ['chrome-linux64/chrome', 'chrome-linux/chrome'];
  return firstOf([
    ...named('chromium_headless_shell').flatMap((name) => shells.map((file) => join(cache, name, file))),
    ...named('chromium').flatMap((name) => browsers.map((file) => join(cache, name, file))),
  ]);
}

/** Has Playwright fetch its headless shell, with its words on this terminal. Returns whether that worked. */
export async function fetchChromium(): Promise<boolean> {
  const playwright = packageFolder('playwright-core');
  if (!playwright) return false;
  const args = [join(playwright, 'cli.js'), 'install', 'chromium-headless-shell'];
  const child = spawn(process.execPath, args, { stdio: 'inherit', timeout: 600_000 });
  const [code] = await once(child, 'exit');
  return code === 0;
}
