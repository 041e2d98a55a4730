// Builds the documentation site for real, and holds it to what a reader needs: no dead link, no other host, a search that finds.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseScript, type Route, routes } from '@pilothouse/contract';
import { launchBrowser } from '../testkit/console/console-page.ts';
import { listen } from '../testkit/listen.ts';
import { root } from '../testkit/stack/folders.ts';
import { buildSite, dist, isInstalled } from './docs/build-site.ts';
import { deadLinks } from './docs/dead-links.ts';
import { rewriteLinks, splitDocument } from './docs/markdown.ts';
import { listedSlugs, readPages } from './docs/pages.ts';

/** Usually a fifth of it; other tests run beside this one. */
const mostBuildMs = 120_000;
const skip = isInstalled() ? false : 'run npm run docs -- --install';
const built = (file: string) => readFileSync(join(dist, file), 'utf8');

describe('the documentation site', { skip }, () => {
  let report: { pages: number; ms: number };
  before(
    async () => {
      report = await buildSite();
    },
    { timeout: mostBuildMs },
  );

  it('has a page for each document, and no dead link', () => {
    console.log(`${report.pages} pages built in ${Math.round(report.ms / 1000)} s`);
    const missing = readPages().filter(({ slug }) => !existsSync(join(dist, slug, 'index.html')));
    assert.deepEqual(missing, []);
    assert.ok(report.pages > 100, `only ${report.pages} pages`);
    assert.deepEqual(deadLinks(dist), []);
  });

  it('describes every route of the contract', () => {
    for (const { method, path, area, summary } of Object.values<Route>(routes)) {
      const page = built(`reference/${area}/index.html`);
      assert.ok(page.includes(`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`), `${method} ${path}`);
      assert.ok(page.includes(summary.replaceAll("'", '&#39;')) || page.includes(summary), summary);
    }
  });

  it('has a list for programs whose addresses exist, and one text of everything', () => {
    const list = built('llms.txt');
    const addresses = [...list.matchAll(/\]\((\/[^)]*)\)/g)].map(([, address = '']) => address);
    assert.ok(addresses.length > 100);
    const missing = addresses.filter((address) => !existsSync(join(dist, address.replace(/\/$/, '/index.html'))));
    assert.deepEqual(missing, []);
    const full = built('llms-full.txt');
    for (const { title, slug } of readPages())
      if (/^(start|guides)\//.test(slug)) assert.ok(full.includes(`# ${title}\n`), title);
  });

  it('has a skill for agents with scripts that can be read, and no mark left', () => {
    const skill = built('SKILL.md');
    assert.match(skill, /^---\nname: pilothouse\ndescription: .{50,1024}\n---\n/);
    assert.doesNotMatch(skill, /\{(tools|commands)\}/);
    for (const name of ['run_task', 'observe', 'pilothouse run']) assert.ok(skill.includes(`\`${name}`), name);
    const scripts = [...skill.matchAll(/^```script\n(.*?)^```$/gms)];
    assert.ok(scripts.length > 0);
    for (const [, script = ''] of scripts) assert.ok(parseScript(script).ok, script);
  });

  it('is found by its search, and asks no other host', { timeout: 60_000 }, async () => {
    const site = await serveFolder(dist);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(`${site.url}/guides/takeover/`);
      // Not by its key, which nothing hears until the page's script has run: the button waits for it.
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('textbox', { name: 'Search' }).fill('takeover lease');
      const found = page.locator('.pagefind-ui__result-link').first();
      await found.waitFor({ timeout: 30_000 });
      assert.match((await found.getAttribute('href')) ?? '', /^\/(guides|decisions|reference)\//);
      assert.ok(asked.length > 5);
      assert.deepEqual(
        asked.filter((url) => !url.startsWith(site.url) && !url.startsWith('data:')),
        [],
      );
    } finally {
      await browser.close();
      await site.close();
    }
  });
});

describe('what the documentation site is made of', () => {
  it('is a lock file that names no registry and no address', () => {
    const lock = readFileSync(join(root, 'docs/site/package-lock.json'), 'utf8');
    assert.doesNotMatch(lock, /"resolved"/);
    const packages = Object.entries(JSON.parse(lock).packages) as [string, { integrity?: string }][];
    assert.ok(packages.length > 200);
    assert.deepEqual(
      packages.filter(([path, { integrity }]) => path !== '' && !integrity).map(([path]) => path),
      [],
    );
  });

  it('is listed in docs/README.md, but decisions and the pictures', () => {
    const listed = listedSlugs();
    const missing = readPages().filter(
      ({ slug }) => !/^decisions\/|\/(changelog|pictures)$/.test(slug) && !listed.has(slug),
    );
    assert.deepEqual(
      missing.map(({ source }) => source),
      [],
    );
  });

  it('are documents whose links lead to pages, to pictures, or stay words', () => {
    const { title, description, body } = splitDocument(
      '# A `title`\n\nSee [this](../start/b.md#part) and\n[that](../../src/c.ts).\n\n![x](../pictures/p.png)\n\n```md\n[no](../start/b.md)\n```\n',
    );
    assert.deepEqual([title, description], ['A title', 'See this and that.']);
    const addresses: Record<string, string> = {
      'docs/start/b.md': '/start/b/',
      'docs/pictures/p.png': '/pictures/p.png',
    };
    assert.equal(
      rewriteLinks(body, 'docs/guides/a.md', (path) => addresses[path]),
      'See [this](/start/b/#part) and\nthat.\n\n![x](/pictures/p.png)\n\n```md\n[no](../start/b.md)\n```\n',
    );
  });
});

describe('the search for dead links', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pilothouse-site-'));
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'style.css'), '@font-face { src: url(https://fonts.example/x.woff2) }');
    writeFileSync(
      join(folder, 'a/index.html'),
      '<h2 id="here">x</h2><a href="#here">1</a><a href="/a/#there">2</a><a href="../b/">3</a><a href="https://example.com/">4</a>' +
        '<img src="gone.png"><script src="//cdn.example/x.js"></script><link rel="stylesheet" href="/style.css"><a href="/a">5</a>',
    );
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('names what is gone, and what would come from elsewhere', () => {
    assert.deepEqual(deadLinks(folder), [
      'a/index.html loads //cdn.example/x.js from another host',
      'a/index.html leads to /a/#there, which is not there',
      'a/index.html leads to ../b/, which is not there',
      'a/index.html leads to gone.png, which is not there',
      'style.css loads https://fonts.example/x.woff2 from another host',
    ]);
  });
});

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};

function serveFolder(folder: string) {
  const server = createServer((asked, response) => {
    const path = join(folder, decodeURIComponent(new URL(asked.url ?? '/', 'http://site.test').pathname));
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'index.html') : path;
    if (!existsSync(file)) return void response.writeHead(404).end();
    const type = types[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  return listen(server);
}
