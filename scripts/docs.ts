// npm run docs [-- --install]: installs what the documentation site is built with, and builds it into docs/site/dist. With
// --install: only the first.
import { relative } from 'node:path';
import { root } from '../testkit/stack/folders.ts';
import { buildSite, dist, installSite } from './docs/build-site.ts';
import { deadLinks } from './docs/dead-links.ts';

await installSite();
if (!process.argv.includes('--install')) {
  const { pages, ms } = await buildSite();
  const dead = deadLinks(dist);
  for (const one of dead) console.error(`docs: ${one}`);
  if (dead.length > 0) process.exit(1);
  console.log(`docs: ${pages} pages in ${(ms / 1000).toFixed(1)} s, in ${relative(root, dist)}; no dead links`);
}
