// node scripts/cli-pictures.ts: takes the pictures of the command in docs/pictures/cli, out of a real terminal and a real task.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { openInstallation } from '../testkit/installation.ts';
import { root } from '../testkit/stack/folders.ts';
import { openTmux } from '../testkit/tmux.ts';

const folder = join(root, 'docs/pictures/cli');
const columns = 88;
/** What a terminal means by a number; those that are not here take a style away. */
const styles: Record<string, string> = {
  1: 'font-weight:bold',
  2: 'opacity:.6',
  31: 'color:#f28b82',
  32: 'color:#81c995',
  33: 'color:#fdd663',
  36: 'color:#78d9ec',
};
/** The styles that a number ends. */
const ends: Record<string, string[]> = { 22: ['1', '2'], 39: ['31', '32', '33', '36'], 0: Object.keys(styles), 49: [] };

/** The screen of a terminal with its colours, as a page. */
function toHtml(screen: string): string {
  let on = new Set<string>();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours.
  const parts = screen.split(/\u001b\[([\d;]*)m/).map((part, index) => {
    if (index % 2 === 0) {
      const text = part.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      return `<span style="${[...on].map((code) => styles[code]).join(';')}">${text}</span>`;
    }
    for (const code of (part || '0').split(';')) {
      if (styles[code]) on.add(code);
      else on = new Set([...on].filter((one) => !ends[code]?.includes(one)));
    }
    return '';
  });
  const look = 'margin:0;padding:18px 22px;background:#16323f;color:#e8eef0;font:15px/1.45 "Liberation Mono",monospace';
  return `<!doctype html><meta charset="utf-8"><body style="margin:0;width:max-content"><pre style="${look}">${parts.join('')}</pre>`;
}

const home = mkdtempSync(join(tmpdir(), 'pilothouse-pictures-'));
const installation = await openInstallation('cli-pictures');
const browser = await launchBrowser();
const bin = join(home, 'bin');
mkdirSync(bin);
// The name under which people know it.
writeFileSync(
  join(bin, 'pilothouse'),
  `#!/bin/sh\nexec ${process.execPath} ${join(root, 'apps/cli/src/main.ts')} "$@"\n`,
  { mode: 0o755 },
);
const env = {
  PATH: process.env.PATH,
  HOME: home,
  PILOTHOUSE_URL: installation.baseUrl,

  LANG: 'C.UTF-8',
};
const terminal = openTmux({ cwd: home, env, columns, rows: 24 });
try {
  const page = await browser.newPage({ deviceScaleFactor: 2 });
  const keep = async (name: string) => {
    await page.setContent(toHtml(terminal.painted()));
    await page.locator('pre').screenshot({ path: join(folder, `${name}.png`) });
  };
  const { url } = installation.shop;
  writeFileSync(
    join(home, 'script.txt'),
    `open ${url}/\ntype "lantern" into "Search"\nclick "Find"\nclick "Add Brass lantern to basket"\nwait 3 s\nextract text css ".basket" as basket\n`,
  );
  mkdirSync(folder, { recursive: true });
  terminal.type(`PATH=${bin}:$PATH PS1='$ '; clear`);
  terminal.press('Enter');
  await terminal.shows(/^\$$/);
  terminal.type('pilothouse run script.txt');
  terminal.press('Enter');
  await terminal.shows(/4\/6 .* Wait 3 s/);
  await keep('run-in-progress');
  await terminal.shows(/✓ Done/);
  await keep('run-done');
} finally {
  terminal.close();
  await browser.close();
  await installation.close();
  rmSync(home, { recursive: true, force: true });
}
