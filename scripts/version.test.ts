import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { copyProject } from '../testkit/scratch-copy.ts';
import { readChangeset, withRelease } from './release-notes.ts';

const changeset = (name: string, bump: string, text: string) => `---\n"@pilothouse/${name}": ${bump}\n---\n\n${text}\n`;

/** Every image of ours with a version, in the documents that are not a record of their day. */
const imagesNamedIn = (folder: string) =>
  globSync(['README.md', 'docs/**/*.md', 'deploy/**/*.{md,yaml}', 'packages/*/README.md', 'apps/*/README.md'], {
    cwd: folder,
    exclude: ['docs/decisions/**', '**/node_modules/**'],
  }).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/\bpilothouse-[a-z]+:(\d[\w.+-]*\w)/g)].map(
      ([, version = '']) => ({ file, version }),
    ),
  );

describe('the version of a release', () => {
  let copy: string;
  const version = () =>
    spawnSync(process.execPath, ['scripts/version.ts'], { cwd: copy, encoding: 'utf8', timeout: 120_000 });
  const read = (file: string) => readFileSync(join(copy, file), 'utf8');
  before(() => {
    copy = mkdtempSync(join(tmpdir(), 'pilothouse-version-'));
    copyProject(copy);
    for (const file of globSync('.changeset/*.md', { cwd: copy }).filter((one) => !one.endsWith('README.md')))
      rmSync(join(copy, file));
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  it('is the present one in the chart and in the images that documents name', () => {
    const { version: own } = JSON.parse(read('package.json'));
    assert.deepEqual(read('deploy/chart/Chart.yaml').match(/(?<=^(?:version|appVersion): ).*$/gm), [own, own]);
    const named = imagesNamedIn(copy);
    assert.ok(named.length >= 2, `only ${named.length} images`);
    assert.deepEqual(
      named.filter((one) => one.version !== own),
      [],
    );
  });

  it('is refused without a changeset', () => {
    const { status, stderr } = version();
    assert.deepEqual([status, /there is no changeset/.test(stderr)], [1, true], stderr);
  });

  it('is one for every package, the root, the lock file, the chart and the images that documents name, and its changes are in the changelog', () => {
    const [major = 0, minor = 0] = JSON.parse(read('package.json')).version.split('.').map(Number);
    const next = `${major}.${minor + 1}.0`;
    writeFileSync(join(copy, '.changeset/one.md'), changeset('cli', 'minor', 'The command sings.'));
    writeFileSync(join(copy, '.changeset/two.md'), changeset('sdk', 'patch', 'A stream that sings stops.'));
    const { status, stdout, stderr } = version();
    assert.equal(status, 0, stderr);
    assert.match(stdout, new RegExp(`^version ${next}: 2 changes`));

    const manifests = ['package.json', ...globSync('{packages,apps}/*/package.json', { cwd: copy })];
    assert.ok(manifests.length > 10);
    for (const file of manifests) {
      const { version: own, dependencies = {} } = JSON.parse(read(file));
      assert.equal(own, next, file);
      for (const [name, wanted] of Object.entries(dependencies))
        if (name.startsWith('@pilothouse/')) assert.equal(wanted, next, `${file} needs ${name}`);
    }
    const lock = JSON.parse(read('package-lock.json'));
    assert.deepEqual([lock.version, lock.packages[''].version], [next, next]);
    assert.equal(lock.packages['apps/cli'].dependencies['@pilothouse/sdk'], next);
    assert.ok(!existsSync(join(copy, '.changeset/one.md')), 'it is used up');
    assert.deepEqual(read('deploy/chart/Chart.yaml').match(/^(version|appVersion): .*$/gm), [
      `version: ${next}`,
      `appVersion: ${next}`,
    ]);
    assert.match(read('README.md'), new RegExp(`^Version ${next.replaceAll('.', '\\.')}, `, 'm'));
    assert.deepEqual([...new Set(imagesNamedIn(copy).map(({ version: named }) => named))], [next]);

    const changelog = read('CHANGELOG.md');
    const [, section = ''] = changelog.split(/^## \d.*\n/m);
    assert.match(
      changelog,
      new RegExp(`^## Unreleased\n\n## ${next} \\(\\d{4}-\\d\\d-\\d\\d\\)\n\n### Breaking$`, 'm'),
    );
    assert.match(
      section,
      /^### Added\n[\s\S]*^- The command sings\.\n\n### Fixed\n[\s\S]*^- A stream that sings stops\.$/m,
    );
  });
});

describe('the changelog of a release', () => {
  it('has breaking changes first, and keeps what is older', () => {
    const changes = [
      readChangeset(changeset('sdk', 'major', 'Gone.\nFor good.')),
      readChangeset(changeset('sdk', 'patch', 'Mended.')),
    ];
    const before =
      '# Changelog\n\n## Unreleased\n\n### Added\n\n- New.\n\n## 0.1.0 (2026-01-01)\n\n### Added\n\n- All.\n';
    assert.equal(
      withRelease(before, changes, { version: '1.0.0', date: '2026-11-18' }),
      '# Changelog\n\n## Unreleased\n\n## 1.0.0 (2026-11-18)\n\n### Breaking\n\n- Gone.\n  For good.\n\n### Added\n\n- New.\n\n### Fixed\n\n- Mended.\n\n## 0.1.0 (2026-01-01)\n\n### Added\n\n- All.\n',
    );
    assert.throws(() => readChangeset('---\n---\n\nNothing.'), /names a package/);
    assert.throws(() => withRelease('# Changelog\n', [], { version: '1.0.0', date: '2026-11-18' }), /unreleased/);
  });
});
