// Makes the packages of a whole installation: @pilothouse/stack with every process built, and nats-server for this platform. No
// binary of it is in the repository.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildConsole } from './console-build.ts';
import { type BuiltPackage, compile, readManifest, renameSources } from './packages.ts';
import { root } from './stack/folders.ts';

/** What lies in the package, in the folders that it has here. The contract and the verifier are packages of their own. */
const inside = [
  'apps/server',
  'apps/agent',
  'apps/browser',
  ...['bus', 'fleet', 'policy', 'process', 'stack', 'store'].map((name) => `packages/${name}`),
];
const natsProgram = '/usr/sbin/nats-server';
const platforms = ['linux-x64', 'linux-arm64'];

/** Builds both below this folder. Fails where there is no nats-server to pack: an installation without it could not start. */
export async function buildStackPackages(into: string, program = natsProgram): Promise<BuiltPackage[]> {
  return [buildNatsPackage(into, program), await buildStackPackage(into)];
}

async function buildStackPackage(into: string): Promise<BuiltPackage> {
  await buildConsole();
  const compiled = join(into, 'compiled-stack');
  mkdirSync(compiled, { recursive: true });
  // Only Node 24 runs it. Types are not checked again: it emits none.
  await compile(compiled, inside, { target: 'esnext', declaration: false, noCheck: true });
  const dir = join(into, 'stack');
  const dist = join(dir, 'dist');
  for (const workspace of inside) stageWorkspace(workspace, { compiled, dist });
  for (const file of globSync('**/*.js', { cwd: dist })) nameInside(join(dist, file), dist);
  cpSync(join(root, 'apps/console/dist'), join(dist, 'apps/console/dist'), {
    recursive: true,
    // What the build notes for itself.
    filter: (path) => !/\/\.(built-of|vite)$/.test(path),
  });
  return writePackage(dir, stackManifest());
}

/** Built files, and what the sources read beside them: migrations, and a version. */
function stageWorkspace(workspace: string, { compiled, dist }: { compiled: string; dist: string }): void {
  const to = join(dist, workspace);
  cpSync(join(compiled, workspace, 'src'), join(to, 'src'), { recursive: true });
  for (const file of globSync('src/**/*.sql', { cwd: join(root, workspace) })) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(root, workspace, file), join(to, file));
  }
  const { name, version } = readManifest(workspace);
  writeFileSync(
    join(to, 'package.json'),
    `${JSON.stringify({ name, version, private: true, type: 'module' }, null, 2)}\n`,
  );
}

/** What lies in the same package is imported by its path: a name would have to be a package of its own. */
function nameInside(file: string, dist: string): void {
  renameSources(file);
  const text = readFileSync(file, 'utf8');
  const next = text.replaceAll(
    /(from |import\(|import )(['"])@pilothouse\/([a-z]+)\2/g,
    (whole, before, quote, name) => {
      if (!inside.includes(`packages/${name}`)) return whole;
      const path = relative(dirname(file), join(dist, `packages/${name}/src/index.js`));
      return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`;
    },
  );
  if (next !== text) writeFileSync(file, next);
}

function stackManifest() {
  const { name, version, description, engines, license, optionalDependencies = {} } = readManifest('packages/stack');
  const isInside = (dependency: string) => inside.includes(dependency.replace('@pilothouse/', 'packages/'));
  const dependencies = inside.flatMap((workspace) => Object.entries(readManifest(workspace).dependencies ?? {}));
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    os: ['linux'],
    cpu: ['x64', 'arm64'],
    exports: { '.': './dist/packages/stack/src/index.js' },
    files: ['dist'],
    dependencies: Object.fromEntries(dependencies.filter(([one]) => !isInside(one)).sort()),
    optionalDependencies: {
      ...optionalDependencies,
      ...Object.fromEntries(platforms.map((platform) => [`@pilothouse/nats-${platform}`, version])),
    },
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Of the program that is installed here. */
function buildNatsPackage(into: string, program: string): BuiltPackage {
  const platform = `${process.platform}-${process.arch}`;
  if (!platforms.includes(platform)) throw new Error(`there is no package of nats-server for ${platform}`);
  if (!existsSync(program))
    throw new Error(
      `@pilothouse/nats-${platform} cannot be built: there is no ${program} (Debian's package nats-server)`,
    );
  const said = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout;
  const served = /v?(\d+\.\d+\.\d+)/.exec(said)?.[1] ?? 'of an unknown version';
  const { version, license } = readManifest('.');
  const dir = join(into, `nats-${platform}`);
  mkdirSync(join(dir, 'bin'), { recursive: true });
  cpSync(program, join(dir, 'bin/nats-server'), { dereference: true });
  const notice = `nats-server ${served}, built by Debian from the sources of the NATS authors (https://github.com/nats-io/nats-server),\nwhich are under the Apache License 2.0.\n`;
  writeFileSync(join(dir, 'NOTICE'), notice);
  writeFileSync(
    join(dir, 'README.md'),
    `# @pilothouse/nats-${platform}\n\n${notice}\n\`pilothouse demo\` and \`pilothouse up\` start it. It has nothing to import.\n`,
  );
  return writePackage(dir, {
    name: `@pilothouse/nats-${platform}`,
    version,
    description: `nats-server ${served} for ${platform}, for \`pilothouse demo\` and \`pilothouse up\`.`,
    license,
    type: 'module',
    os: [process.platform],
    cpu: [process.arch],
    // Debian builds it for the C library of GNU.
    libc: ['glibc'],
    files: ['bin', 'NOTICE'],
    publishConfig: { access: 'public', provenance: true },
  });
}

type StackManifest = { name: string; version: string; dependencies?: Record<string, string> } & Record<string, unknown>;

function writePackage(dir: string, manifest: StackManifest): BuiltPackage {
  cpSync(join(root, 'LICENSE'), join(dir, 'LICENSE'));
  const readme = join(root, manifest.name.replace('@pilothouse/', 'packages/'), 'README.md');
  if (existsSync(readme)) cpSync(readme, join(dir, 'README.md'));
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const { name, version, dependencies = {} } = manifest;
  return { name, version, dir, dependencies };
}
