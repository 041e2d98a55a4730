// Makes the packages that are published: built, with a package.json of their own, in folders as npm packs them. Never
// changes a workspace.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { openRegistry } from './registry.ts';
import { root } from './stack/folders.ts';

/** The workspaces that are published, each after those it depends on. */
export const publishedWorkspaces = ['packages/contract', 'packages/sdk', 'packages/evidence', 'apps/cli'];

type Exports = Record<string, string>;
type Manifest = {
  name: string;
  version: string;
  description?: string;
  license: string;
  engines: Record<string, string>;
  bin?: Record<string, string>;
  exports?: Exports;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
export type BuiltPackage = { name: string; version: string; dir: string; dependencies: Record<string, string> };

export const readManifest = (workspace: string): Manifest & { private?: boolean } =>
  JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'));

/** Builds all of them into folders below this one, which must be empty. */
export async function buildPackages(into: string, { signal }: { signal?: AbortSignal } = {}): Promise<BuiltPackage[]> {
  const compiled = join(into, 'compiled');
  mkdirSync(compiled, { recursive: true });
  await compile(compiled, publishedWorkspaces, { target: 'es2023', declaration: true }, signal);
  return publishedWorkspaces.map((workspace) => stage(workspace, { compiled, into }));
}

/** Plain `tsc`: one run for all, so that the types of one package are those that the next was checked with. */
export async function compile(
  outDir: string,
  workspaces: string[],
  // ES2023 is what Node 22 and browsers of the last two years run.
  options: { target: 'es2023' | 'esnext'; declaration: boolean; noCheck?: true },
  signal?: AbortSignal,
): Promise<void> {
  const config = join(outDir, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noEmit: false,
        ...options,
        rootDir: root,
        outDir,
        typeRoots: [join(root, 'node_modules/@types')],
      },
      include: workspaces.map((workspace) => join(root, workspace, 'src')),
      exclude: [join(root, '**/*.test.ts')],
    }),
  );
  await run(join(root, 'node_modules/.bin/tsc'), ['--project', config], { cwd: root, signal });
}

function stage(workspace: string, { compiled, into }: { compiled: string; into: string }): BuiltPackage {
  const { dependencies = {}, ...own } = readManifest(workspace);
  const { name, version, description, license, engines, bin, exports, optionalDependencies } = own;
  const dir = join(into, workspace.split('/').at(-1) ?? '');
  mkdirSync(dir);
  cpSync(join(compiled, workspace, 'src'), join(dir, 'dist'), { recursive: true });
  cpSync(join(root, workspace, 'README.md'), join(dir, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(dir, 'LICENSE'));
  for (const file of globSync('dist/**/*.{js,d.ts}', { cwd: dir })) renameSources(join(dir, file));
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    ...(bin && { bin: Object.fromEntries(Object.entries(bin).map(([key, file]) => [key, built(file)])) }),
    exports: Object.fromEntries(
      Object.entries(exports ?? {})
        .filter(([, file]) => file.startsWith('./src/'))
        .map(([key, file]) => [key, { types: built(file, '.d.ts'), default: built(file) }]),
    ),
    // A worker and a command do something when they are loaded; nothing else does.
    sideEffects: ['./dist/**/*.worker.js', './dist/**/*main.js'],
    files: ['dist'],
    dependencies,
    ...(optionalDependencies && { optionalDependencies }),
    publishConfig: { access: 'public', provenance: true },
  };
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return { name, version, dir, dependencies };
}

const built = (file: string, ending = '.js') => file.replace('./src/', './dist/').replace(/\.ts$/, ending);

/** The compiler leaves names of our sources in types and in addresses of workers; those files are not published. */
export function renameSources(file: string): void {
  const text = readFileSync(file, 'utf8');
  const next = text.replaceAll(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1');
  if (next !== text) writeFileSync(file, next);
}

/** Packs a folder as npm does, and returns the path of the archive. */
export async function packPackage(one: Pick<BuiltPackage, 'dir'>, into: string): Promise<string> {
  const [archive = ''] = await packPackages([one], into);
  return archive;
}

/** Several at once: npm takes longer to start than to pack. */
export async function packPackages(packages: Pick<BuiltPackage, 'dir'>[], into: string): Promise<string[]> {
  const dirs = packages.map(({ dir }) => dir);
  const said = await run('npm', ['pack', '--json', '--pack-destination', into, ...dirs], { cwd: into });
  return (JSON.parse(said) as { filename: string }[]).map(({ filename }) => join(into, filename));
}

/**
 * A folder with these packages in its node_modules, as an installation lays them out. Packages of others are links to those
 * of this checkout: no test fetches anything.
 */
export async function layOutPackages(folder: string, packages: BuiltPackage[]): Promise<void> {
  const archives = join(folder, 'archives');
  mkdirSync(archives, { recursive: true });
  for (const { name, dependencies, ...built } of packages) {
    const target = join(folder, 'node_modules', name);
    mkdirSync(target, { recursive: true });
    const archive = await packPackage(built, archives);
    await run('tar', ['-xzf', archive, '-C', target, '--strip-components=1'], { cwd: folder });
    for (const other of Object.keys(dependencies).filter((one) => !one.startsWith('@pilothouse/'))) {
      const link = join(folder, 'node_modules', other);
      if (!existsSync(link)) symlinkSync(join(root, 'node_modules', other), link);
    }
  }
}

/**
 * Installs a package by npm in a folder that is empty, as from npm's registry: these packages, and those of others as this
 * checkout has them. No network is needed, and nothing is found but what packages declare.
 */
export async function installPackages(folder: string, packages: BuiltPackage[], wanted: string[]): Promise<void> {
  const archives = join(folder, 'archives');
  mkdirSync(archives, { recursive: true });
  await packPackages(packages, archives);
  const registry = await openRegistry(archives);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const env = { ...process.env, ...registry.env, npm_config_cache: join(folder, 'cache') };
  try {
    await run('npm', ['install', ...options, ...wanted], { cwd: folder, env });
  } finally {
    await registry.close();
  }
}

type Program = { cwd: string; env?: NodeJS.ProcessEnv; signal?: AbortSignal; uid?: number; gid?: number };

/** Runs a program, and returns what it wrote. Throws with its words if it failed. */
export async function run(
  command: string,
  args: string[],
  { cwd, env = process.env, signal, ...user }: Program,
): Promise<string> {
  const stdio = ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'];
  const child = spawn(command, args, { cwd, env, signal, ...user, stdio, timeout: 300_000 });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  const code = await promise;
  if (code === 0) return said.out;
  throw new Error(`${relative(root, command)} ${args.join(' ')} ended with ${code}:\n${said.err}${said.out}`);
}
