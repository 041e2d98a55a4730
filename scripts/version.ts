// npm run release:version: makes of the changesets the version of every package, of the root, of the lock file, of the chart and of
// the images that documents name, and the section of CHANGELOG.md. Publishes nothing, commits nothing, and asks no registry.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readChangeset, withRelease } from './release-notes.ts';

const root = join(import.meta.dirname, '..');
type Manifest = { version: string; workspaces?: string[] } & Partial<Record<Dependencies, Record<string, string>>>;
type Dependencies = 'dependencies' | 'devDependencies' | 'optionalDependencies';
const kinds: Dependencies[] = ['dependencies', 'devDependencies', 'optionalDependencies'];

/** Where the version stands outside of a package.json, without what is before it. */
const stated: { file: string; place: RegExp }[] = [
  { file: 'deploy/chart/Chart.yaml', place: /(?<=^(?:version|appVersion): )\S+$/gm },
  { file: 'docs/operate/compose.md', place: /(?<=\bpilothouse-[a-z]+:)\d[\w.+-]*\w/g },
  { file: 'docs/operate/nats.md', place: /(?<=\bpilothouse-[a-z]+:)\d[\w.+-]*\w/g },
  { file: 'docs/operate/kubernetes.md', place: /(?<=\bpilothouse-[a-z]+:)\d[\w.+-]*\w/g },
  { file: 'README.md', place: /(?<=^Version )\d[\w.+-]*\w/gm },
];

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const readJson = <T>(file: string): T => JSON.parse(read(file)) as T;
const writeJson = (file: string, value: unknown) =>
  writeFileSync(join(root, file), `${JSON.stringify(value, null, 2)}\n`);

const files = globSync('.changeset/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'));
if (files.length === 0) {
  console.error('version: there is no changeset. Make one with npm run changeset.');
  process.exit(1);
}
const changes = files.toSorted().map((file) => readChangeset(read(file)));
execFileSync(process.execPath, [join(root, 'node_modules/@changesets/cli/bin.js'), 'version'], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
  timeout: 120_000,
});

const workspaces = globSync('{packages,apps}/*/package.json', { cwd: root }).toSorted();
const versions = new Set(workspaces.map((file) => readJson<Manifest>(file).version));
const [version = '', ...others] = versions;
if (others.length > 0) throw new Error(`the packages have several versions: ${[...versions].join(', ')}`);

writeJson('package.json', { ...readJson<Manifest>('package.json'), version });
const lock = readJson<{ version: string; packages: Record<string, Manifest> }>('package-lock.json');
lock.version = version;
for (const [path, entry] of Object.entries(lock.packages)) {
  const file = path === '' ? 'package.json' : `${path}/package.json`;
  if (path !== '' && !workspaces.includes(file)) continue;
  const manifest = readJson<Manifest>(file);
  entry.version = manifest.version;
  for (const kind of kinds) if (entry[kind]) entry[kind] = manifest[kind];
}
writeJson('package-lock.json', lock);
for (const { file, place } of stated) {
  const text = read(file);
  if (text.search(place) < 0) throw new Error(`${file} does not name the version any more: change scripts/version.ts`);
  writeFileSync(join(root, file), text.replaceAll(place, version));
}
const date = new Date().toISOString().slice(0, 10);
writeFileSync(join(root, 'CHANGELOG.md'), withRelease(read('CHANGELOG.md'), changes, { version, date }));
console.log(`version ${version}: ${changes.length} changes. Read CHANGELOG.md, then npm run release -- --dry-run.`);
