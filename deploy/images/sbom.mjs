// node sbom.mjs NAME: prints, as CycloneDX, every package that is installed below the working directory. Not by `npm sbom`,
// which leaves out what a workspace needs where the checkout needs it for development, too.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const root = readJson('package.json');
const { packages: locked } = readJson('package-lock.json');

/** The folders of installed packages; links lead to our own sources, which are no packages of others. */
function* installed(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
    if (entry.name.startsWith('@')) yield* installed(path);
    else if (existsSync(join(path, 'package.json'))) {
      yield path;
      yield* installed(join(path, 'node_modules'));
    }
  }
}

function componentOf(path) {
  const { name, version, license } = readJson(join(path, 'package.json'));
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [kind, digest] = locked[path]?.integrity?.split('-') ?? [];
  return {
    type: 'library',
    'bom-ref': `${purl}#${path}`,
    name,
    version,
    purl,
    ...(typeof license === 'string' ? { licenses: [{ expression: license }] } : {}),
    ...(kind === 'sha512'
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
      : {}),
  };
}

const below = ['apps', 'packages'].flatMap((kind) =>
  existsSync(kind) ? readdirSync(kind).map((name) => join(kind, name, 'node_modules')) : [],
);
const components = ['node_modules', ...below].flatMap((folder) => [...installed(folder)].map(componentOf));
const component = { type: 'application', name: `pilothouse-${process.argv[2]}`, version: root.version };
console.log(
  JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, metadata: { component }, components }),
);
