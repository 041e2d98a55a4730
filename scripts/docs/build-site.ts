// Installs what docs/site is built with, writes its pages out of the documents of the repository, and has Astro build it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openApiOf } from '../../apps/server/testing/openapi.ts';
import { readManifest } from '../../testkit/packages.ts';
import { root } from '../../testkit/stack/folders.ts';
import { readHome } from './home.ts';
import { llmsFull, llmsList } from './llms.ts';
import { withFrontMatter } from './markdown.ts';
import { readPages, sidebarOf } from './pages.ts';
import { referencePages } from './reference.ts';
import { readSkill } from './skill.ts';

export const site = join(root, 'docs/site');
export const dist = join(site, 'dist');
const pagesDir = join(site, '.pages');
const publicDir = join(site, '.public');
const stamp = join(site, 'node_modules/.installed');

const installMs = 300_000;
const buildMs = 180_000;

const wantedStamp = () =>
  `${process.version} ${createHash('sha256')
    .update(readFileSync(join(site, 'package-lock.json')))
    .digest('hex')}`;
export const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wantedStamp();

/** Only where the lock file, or the Node that runs it, changed since the last time. */
export async function installSite(): Promise<void> {
  if (isInstalled()) return;
  await runIn(site, 'npm', ['ci', '--loglevel=error'], installMs);
  writeFileSync(stamp, wantedStamp());
}

/** The pages, their pictures and what lies beside them. Made again with each build; none of it is in git. */
export async function preparePages(): Promise<{ pages: number }> {
  for (const folder of [pagesDir, publicDir]) rmSync(folder, { recursive: true, force: true });
  const document = await openApiOf(readManifest('.').version);
  const [home, pages, reference] = [readHome(), readPages(), referencePages(document)];
  write(pagesDir, 'index.md', withFrontMatter(home.fields, home.body));
  for (const { slug, title, description, body } of [...pages, ...reference])
    write(pagesDir, `${slug}.md`, withFrontMatter({ title, description, ...lookOf(slug) }, body));
  write(pagesDir, 'sidebar.json', JSON.stringify(sidebarOf(pages, reference), null, 2));
  write(pagesDir, 'tokens.css', siteTokens());
  cpSync(join(root, 'docs/pictures'), join(publicDir, 'pictures'), {
    recursive: true,
    filter: (path) => !path.endsWith('.md'),
  });
  cpSync(join(site, 'favicon.svg'), join(publicDir, 'favicon.svg'));
  write(publicDir, 'openapi.json', JSON.stringify(document));
  write(publicDir, 'llms.txt', llmsList(home.tagline, pages, reference));
  write(publicDir, 'llms-full.txt', llmsFull(home.tagline, pages, reference));
  write(publicDir, 'SKILL.md', readSkill());
  return { pages: pages.length + reference.length + 1 };
}

/** Old changes are not what a search is for, and a list of a hundred headings is of no help. */
const lookOf = (slug: string) => (slug === 'operate/changelog' ? { tableOfContents: false, pagefind: false } : {});

/** The console's colours: its dark ones hang on a class, those of the site on an attribute. */
const siteTokens = () =>
  readFileSync(join(root, 'apps/console/src/tokens.css'), 'utf8').replace(/^\.dark \{/m, ":root[data-theme='dark'] {");

export async function buildSite(): Promise<{ pages: number; ms: number }> {
  const begun = performance.now();
  const { pages } = await preparePages();
  const astro = join(site, 'node_modules/astro/bin/astro.mjs');
  await runIn(site, process.execPath, [astro, 'build'], buildMs);
  return { pages, ms: performance.now() - begun };
}

function write(folder: string, file: string, text: string): void {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Shows what it says only where it fails. */
function runIn(cwd: string, command: string, args: string[], timeoutMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NO_COLOR: '1', NODE_ENV: 'production' };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  child.once('error', reject);
  child.once('close', (code) =>
    code === 0 ? resolve() : reject(new Error(`${command} ${args[0]}: ${code}\n${said}`)),
  );
  return promise;
}
