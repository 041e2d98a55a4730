// Holds what is published to its promises: names, types, size, and no file that only a checkout has.
import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import {
  type BuiltPackage,
  buildPackages,
  installPackages,
  layOutPackages,
  packPackage,
  publishedWorkspaces,
  readManifest,
  run,
} from '../testkit/packages.ts';
import { root } from '../testkit/stack/folders.ts';
import { buildStackPackages } from '../testkit/stack-package.ts';

/** Of the SDK with everything it loads, compressed. It loads no zod. */
const mostSdkBytes = 25 * 1024;

/** Of the command by itself, packed. What `demo` and `up` need is a package of its own. */
const mostCliBytes = 100 * 1024;

const guides = [
  ...['README.md', 'packages/sdk/README.md', 'packages/evidence/README.md'],
  ...['sdk', 'takeover', 'sharing', 'evidence'].map((name) => `docs/guides/${name}.md`),
];
const blocksOf = (guide: string) =>
  [...readFileSync(join(root, guide), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block = '']) => block);

/** What a reader of a guide has by then. */
const given = `
  declare const client: sdk.Client; declare const session: { id: string }; declare const baseUrl: string;
  declare const prompt: string; declare const session_id: string; declare const task_id: string;
  declare let takeover: { takeover_id: string };
  declare const location: { origin: string }; declare const localStorage: sdk.TokenStorage;`;
/** The type that a guide shows has each field of the one that the SDK answers with, and no other. */
const asInSdk = `
  type Answered = NonNullable<Awaited<ReturnType<sdk.Client['getSession']>>['snapshot']['driver_view']>;
  const shown: (answered: Answered) => DriverView = (answered) => answered;
  const answered: (shown: DriverView) => Answered = (shown) => shown;
  return [shown, answered];`;
/** Imports come first in a module; the rest may name again what is given. */
function asModule(block: string): string {
  const isImport = (line: string) => line.startsWith('import ');
  const lines = block.split('\n');
  const names = ['createClient', 'createLogin', 'readEvidence', 'takeOver', 'runTask', 'isApiError'];
  const imported = lines.filter(isImport).join('\n');
  const missing = names.filter((name) => !imported.includes(name));
  return `import type * as sdk from '@pilothouse/sdk';
import { ${missing.join(', ')} } from '@pilothouse/sdk';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
${imported}
${given}
export async function block() {
${lines.filter((line) => !isImport(line)).join('\n')}
${block.includes('type DriverView =') ? asInSdk : ''}
}
`;
}

describe('the packages that are published', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-packages-'));
  const app = join(folder, 'app');
  let packages: BuiltPackage[];
  before(
    async () => {
      packages = await buildPackages(folder);
      await layOutPackages(app, packages);
      writeFileSync(join(app, 'package.json'), '{ "type": "module", "private": true }');
    },
    { timeout: 180_000 },
  );
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('have the names and the version that were decided, and their workspaces cannot be published by mistake', () => {
    const { version } = readManifest('.');
    assert.deepEqual(
      packages.map(({ name }) => name),
      ['@pilothouse/contract', '@pilothouse/sdk', '@pilothouse/evidence', '@pilothouse/cli'],
    );
    for (const one of packages) {
      assert.equal(one.version, version);
      for (const [name, wanted] of Object.entries(one.dependencies))
        if (name.startsWith('@pilothouse/')) assert.equal(wanted, version, `${one.name} needs ${name}`);
    }
    for (const workspace of publishedWorkspaces) assert.equal(readManifest(workspace).private, true, workspace);
    assert.deepEqual(Object.keys(packages[1]?.dependencies ?? {}), ['@pilothouse/contract']);
    assert.deepEqual(Object.keys(packages[0]?.dependencies ?? {}), ['zod']);
  });

  it('hold built files only, and name no source', () => {
    for (const { dir, name } of packages) {
      const files = globSync('dist/**/*.*', { cwd: dir });
      assert.ok(files.length > 4, name);
      assert.deepEqual(
        files.filter((file) => !/(?<!\.test)\.(js|d\.ts)$/.test(file)),
        [],
      );
      const naming = files.filter((file) =>
        /['"]\.{1,2}\/[^'"\n]+(?<!\.d)\.ts['"]/.test(readFileSync(join(dir, file), 'utf8')),
      );
      assert.deepEqual(naming, [], `${name} names sources`);
    }
  });

  it('are found without fault by publint', { timeout: 120_000 }, async () => {
    for (const { dir, name } of packages) {
      const { messages, pkg } = await publint({ pkgDir: dir, strict: true, pack: 'npm' });
      assert.deepEqual(
        messages.map((message) => formatMessage(message, pkg)),
        [],
        name,
      );
    }
  });

  it('have types that every ESM resolution finds', { timeout: 120_000 }, async () => {
    for (const one of packages.filter(({ name }) => name !== '@pilothouse/cli')) {
      const archive = await packPackage(one, folder);
      const checked = await checkPackage(createPackageFromTarballData(readFileSync(archive)));
      assert.ok(checked.types, `${one.name} has types`);
      // They are ESM only: what CommonJS and Node 10 make of them is not promised.
      const problems = checked.problems.filter(
        (problem) => !('resolutionKind' in problem) || !['node10', 'node16-cjs'].includes(problem.resolutionKind),
      );
      assert.deepEqual(problems, [], one.name);
    }
  });

  it('are typed for a page, which has no types of Node', { timeout: 120_000 }, async () => {
    mkdirSync(join(app, 'typed'), { recursive: true });
    writeFileSync(
      join(app, 'typed/page.ts'),
      `import { createClient, runTask, takeOver, type TaskUpdate } from '@pilothouse/sdk';
const client = createClient({ baseUrl: location.origin });
const run = await runTask(client, { prompt: 'open https://example.com' });
const titles: string[] = [];
for await (const update of run satisfies AsyncIterable<TaskUpdate>) if (update.type === 'step') titles.push(update.step.title);
const { status } = await run.finished();
if (status === 'success') document.title = titles.join();
const driving = await takeOver(client, { session_id: run.sessionId });
await driving.input({ action: 'click', x: 1, y: 2 });
// @ts-expect-error: a click has a place
await driving.input({ action: 'click' });
`,
    );
    const options = '--noEmit --strict --module nodenext --target es2023 --lib es2023,dom,dom.iterable --types'.split(
      ' ',
    );
    await run(join(root, 'node_modules/.bin/tsc'), ['--ignoreConfig', ...options, '', 'typed/page.ts'], { cwd: app });
  });

  it('are called in the guides as they are', { timeout: 120_000 }, async () => {
    mkdirSync(join(app, 'guides'), { recursive: true });
    const files = guides.flatMap((guide) =>
      blocksOf(guide).map((block, index) => ({
        name: `${guide.replace('.md', '').replaceAll('/', '-')}-${index}.ts`,
        block,
      })),
    );
    assert.ok(files.length >= 15, `only ${files.length} blocks`);
    for (const { name, block } of files) writeFileSync(join(app, 'guides', name), asModule(block));
    const options = '--noEmit --strict --noImplicitAny false --module nodenext --target es2023 --lib es2023'.split(' ');
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
    const paths = files.map(({ name }) => `guides/${name}`);
    await run(join(root, 'node_modules/.bin/tsc'), ['--ignoreConfig', ...options, ...types, ...paths], { cwd: app });
  });

  it('are installed by npm in an empty folder without a network, and the command runs', {
    timeout: 180_000,
  }, async () => {
    const empty = join(folder, 'empty');
    await installPackages(
      empty,
      packages,
      packages.map(({ name }) => name),
    );
    assert.deepEqual(readdirSync(join(empty, 'node_modules/@pilothouse')).sort(), [
      'cli',
      'contract',
      'evidence',
      'sdk',
    ]);
    const command = join(empty, 'node_modules/.bin/pilothouse');
    assert.equal((await run(command, ['--version'], { cwd: empty })).trim(), readManifest('.').version);
    const program =
      "import { createClient } from '@pilothouse/sdk'; import { routes } from '@pilothouse/contract'; console.log(Object.keys(createClient({ baseUrl: 'http://x' })).length === Object.keys(routes).length);";
    assert.equal((await run(process.execPath, ['--input-type=module', '-e', program], { cwd: empty })).trim(), 'true');
  });

  it('are a command that stays light by itself', async () => {
    const cli = packages.find(({ name }) => name === '@pilothouse/cli');
    assert.ok(cli);
    const { size } = statSync(await packPackage(cli, folder));
    assert.ok(size < mostCliBytes, `${size} bytes`);
  });

  it('load no zod with the SDK, which is small in a page', { timeout: 120_000 }, async () => {
    writeFileSync(join(app, 'index.html'), '<script type="module" src="/page.js"></script>');
    writeFileSync(join(app, 'page.js'), "import * as sdk from '@pilothouse/sdk';\nglobalThis.sdk = sdk;\n");
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    await run(process.execPath, [vite, 'build', '--outDir', 'size', '--logLevel', 'warn'], { cwd: app });
    const scripts = globSync('size/**/*.js', { cwd: app });
    const texts = scripts.map((file) => readFileSync(join(app, file), 'utf8'));
    assert.ok(
      texts.some((text) => text.includes('/api/chat')),
      'the routes are in it',
    );
    assert.ok(!texts.some((text) => text.includes('ZodError')), 'zod is not');
    const bytes = texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
    console.log(`the SDK in a page: ${bytes} bytes compressed, in ${scripts.length} files`);
    assert.ok(bytes <= mostSdkBytes, `${bytes} bytes`);
  });
});

describe('the packages of a whole installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-parts-'));
  let packages: BuiltPackage[];
  before(
    async () => {
      packages = await buildStackPackages(folder);
    },
    { timeout: 180_000 },
  );
  after(() => rmSync(folder, { recursive: true, force: true }));
  const stack = () => packages.find(({ name }) => name === '@pilothouse/stack') ?? assert.fail('no stack');

  it('are those that were decided, of one version, and of no fault for publint', { timeout: 120_000 }, async () => {
    const names = [`@pilothouse/nats-linux-${process.arch}`, '@pilothouse/stack'];
    assert.deepEqual(
      packages.map(({ name }) => name),
      names,
    );
    for (const { dir, name, version } of packages) {
      assert.equal(version, readManifest('.').version, name);
      const { messages, pkg } = await publint({ pkgDir: dir, pack: 'npm' });
      assert.deepEqual(
        messages.map((message) => formatMessage(message, pkg)),
        [],
        name,
      );
    }
  });

  it('are not built without nats-server, and it is said where that comes from', async () => {
    const without = mkdtempSync(join(tmpdir(), 'pilothouse-parts-'));
    const built = buildStackPackages(without, join(without, 'nats-server'));
    await assert.rejects(built, /@pilothouse\/nats-linux-\w+ cannot be built: there is no .*nats-server/);
    rmSync(without, { recursive: true });
  });

  it('hold no sources and no tests, and what the processes read beside them', () => {
    const files = globSync('dist/**/*.*', { cwd: stack().dir });
    const wrong = files.filter((file) => /\.ts$|\.test\.js$/.test(file));
    assert.deepEqual(wrong, []);
    for (const file of ['apps/console/dist/index.html', 'packages/store/src/db/migrations/0001-foundation.sql'])
      assert.ok(files.includes(`dist/${file}`), file);
  });

  it('declare every package that they import', () => {
    const { dir, dependencies } = stack();
    const texts = globSync('dist/{apps/{server,agent,browser},packages}/**/*.js', { cwd: dir }).map((file) =>
      readFileSync(join(dir, file), 'utf8'),
    );
    const imported = texts.flatMap((text) =>
      [...text.matchAll(/^(?:(?:import|export) .*|\} )from ['"]([^.'"][^'"]*)['"]/gm)].map(([, name = '']) => name),
    );
    const names = imported
      .filter((name) => !name.startsWith('node:'))
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    assert.ok(names.includes('fastify') && names.includes('@pilothouse/contract'), 'imports are read');
    assert.deepEqual(
      [...new Set(names)].filter((name) => !(name in dependencies)),
      [],
    );
  });
});
