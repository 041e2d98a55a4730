// npm run release -- --dry-run [--keep FOLDER]: builds and packs every package, and installs them in an empty folder. Publishes
// nothing: the scope has to be registered first (docs/decisions/0064-names-of-packages.md).
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackages, installPackages, readManifest, run } from '../testkit/packages.ts';
import { root } from '../testkit/stack/folders.ts';
import { buildStackPackages } from '../testkit/stack-package.ts';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, keep: { type: 'string' } } });

async function rehearse(into: string): Promise<void> {
  const { version } = readManifest('.');
  const packages = [...(await buildPackages(into)), ...(await buildStackPackages(into))];
  const wrong = packages.filter((one) => one.version !== version);
  if (wrong.length > 0) throw new Error(`not of version ${version}: ${wrong.map(({ name }) => name).join(', ')}`);
  if (!/^## Unreleased$/m.test(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')))
    throw new Error('CHANGELOG.md has no section for what is unreleased');
  const empty = join(into, 'installed');
  mkdirSync(empty);
  await installPackages(empty, packages, ['@pilothouse/cli']);
  for (const archive of readdirSync(join(empty, 'archives')).filter((file) => file.startsWith('pilothouse-')))
    console.log(`packed     ${archive}  ${(statSync(join(empty, 'archives', archive)).size / 1024).toFixed(1)} KB`);
  const said = await run(join(empty, 'node_modules/.bin/pilothouse'), ['--version'], { cwd: empty });
  if (said.trim() !== version) throw new Error(`the installed command says that it is ${said.trim()}`);
  console.log(
    `installed  ${packages.length} packages of version ${version} in an empty folder; pilothouse --version runs`,
  );
}

if (!values['dry-run']) {
  console.error('release: nothing is published from here yet. Use --dry-run.');
  process.exit(2);
}
const folder = values.keep ? resolve(values.keep) : mkdtempSync(join(tmpdir(), 'pilothouse-release-'));
mkdirSync(folder, { recursive: true });
try {
  await rehearse(folder);
} finally {
  if (!values.keep) rmSync(folder, { recursive: true, force: true });
}
